module libtorqsched/examples

go 1.19

require libtorqsched/go v0.0.0

// The bindings are not published under a host's name: they are taken from beside this directory.
replace libtorqsched/go => ../../bindings/go
