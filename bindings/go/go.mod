module libtorqsched/go

go 1.19
