//! What a call answers where it has no response.

use std::fmt;
use std::sync::Arc;

use torqsched_sys as sys;

use crate::wire::Message;

/// The error that an oracle closure gives a call up with: anything that is an error.
pub type OracleError = Box<dyn std::error::Error + Send + Sync + 'static>;

/// The kind of failure: the numbers of gRPC's status codes. Those that this version of the library
/// returns say when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// The progress closure stopped the call before there was an answer to keep.
    Cancelled,
    /// A number that these bindings do not know.
    Unknown,
    /// The request is at fault; repeating it is no use.
    InvalidArgument,
    /// Not returned.
    DeadlineExceeded,
    /// The library knows no hardware profile of that name.
    NotFound,
    /// Not returned.
    AlreadyExists,
    /// Not returned.
    PermissionDenied,
    /// Out of memory, over the session's memory limit, or over 2 GiB.
    ResourceExhausted,
    /// A closure called the session that it serves; a request wants the host's oracle and the
    /// session has none; or the library that is linked is of another version.
    FailedPrecondition,
    /// The oracle closure answered with an error.
    Aborted,
    /// Not returned.
    OutOfRange,
    /// The request asks for what this version does not have.
    Unimplemented,
    /// A defect in the library, or in the oracle closure's response.
    Internal,
    /// Not returned.
    Unavailable,
    /// Not returned.
    DataLoss,
    /// Not returned.
    Unauthenticated,
}

impl Code {
    /// The code's name, such as `INVALID_ARGUMENT`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Code::Cancelled => "CANCELLED",
            Code::Unknown => "UNKNOWN",
            Code::InvalidArgument => "INVALID_ARGUMENT",
            Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
            Code::NotFound => "NOT_FOUND",
            Code::AlreadyExists => "ALREADY_EXISTS",
            Code::PermissionDenied => "PERMISSION_DENIED",
            Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
            Code::FailedPrecondition => "FAILED_PRECONDITION",
            Code::Aborted => "ABORTED",
            Code::OutOfRange => "OUT_OF_RANGE",
            Code::Unimplemented => "UNIMPLEMENTED",
            Code::Internal => "INTERNAL",
            Code::Unavailable => "UNAVAILABLE",
            Code::DataLoss => "DATA_LOSS",
            Code::Unauthenticated => "UNAUTHENTICATED",
        }
    }

    /// The code's number in the C interface, 1 to 16.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Code::Cancelled => sys::TORQSCHED_CANCELLED,
            Code::Unknown => sys::TORQSCHED_UNKNOWN,
            Code::InvalidArgument => sys::TORQSCHED_INVALID_ARGUMENT,
            Code::DeadlineExceeded => sys::TORQSCHED_DEADLINE_EXCEEDED,
            Code::NotFound => sys::TORQSCHED_NOT_FOUND,
            Code::AlreadyExists => sys::TORQSCHED_ALREADY_EXISTS,
            Code::PermissionDenied => sys::TORQSCHED_PERMISSION_DENIED,
            Code::ResourceExhausted => sys::TORQSCHED_RESOURCE_EXHAUSTED,
            Code::FailedPrecondition => sys::TORQSCHED_FAILED_PRECONDITION,
            Code::Aborted => sys::TORQSCHED_ABORTED,
            Code::OutOfRange => sys::TORQSCHED_OUT_OF_RANGE,
            Code::Unimplemented => sys::TORQSCHED_UNIMPLEMENTED,
            Code::Internal => sys::TORQSCHED_INTERNAL,
            Code::Unavailable => sys::TORQSCHED_UNAVAILABLE,
            Code::DataLoss => sys::TORQSCHED_DATA_LOSS,
            Code::Unauthenticated => sys::TORQSCHED_UNAUTHENTICATED,
        }
    }

    /// The code of a number of the C interface that is not 0 (`TORQSCHED_OK`, which is no error).
    fn from_number(number: sys::torqsched_code) -> Code {
        match number {
            sys::TORQSCHED_CANCELLED => Code::Cancelled,
            sys::TORQSCHED_INVALID_ARGUMENT => Code::InvalidArgument,
            sys::TORQSCHED_DEADLINE_EXCEEDED => Code::DeadlineExceeded,
            sys::TORQSCHED_NOT_FOUND => Code::NotFound,
            sys::TORQSCHED_ALREADY_EXISTS => Code::AlreadyExists,
            sys::TORQSCHED_PERMISSION_DENIED => Code::PermissionDenied,
            sys::TORQSCHED_RESOURCE_EXHAUSTED => Code::ResourceExhausted,
            sys::TORQSCHED_FAILED_PRECONDITION => Code::FailedPrecondition,
            sys::TORQSCHED_ABORTED => Code::Aborted,
            sys::TORQSCHED_OUT_OF_RANGE => Code::OutOfRange,
            sys::TORQSCHED_UNIMPLEMENTED => Code::Unimplemented,
            sys::TORQSCHED_INTERNAL => Code::Internal,
            sys::TORQSCHED_UNAVAILABLE => Code::Unavailable,
            sys::TORQSCHED_DATA_LOSS => Code::DataLoss,
            sys::TORQSCHED_UNAUTHENTICATED => Code::Unauthenticated,
            _ => Code::Unknown,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Why a call has no response, and where in the request that is: a `torqsched.v1.Error`.
///
/// Its [`source`](std::error::Error::source) is the error of the oracle closure, where that gave
/// the call up.
#[derive(Clone, Debug)]
pub struct Error {
    code: Code,
    message: String,
    field: Option<String>,
    op: Option<u32>,
    buffer: Option<u32>,
    source: Option<Arc<dyn std::error::Error + Send + Sync + 'static>>,
}

impl Error {
    /// The kind of failure.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// One line for people that names the place by itself, such as `op 12 'load w3': ...`.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Path of the field at fault in the request, such as `stream.ops[12].accesses[1].size`.
    /// `None`: no one field is at fault.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// The op at fault, a position in the stream's ops counted from 0. `None`: no one op is.
    #[must_use]
    pub fn op(&self) -> Option<u32> {
        self.op
    }

    /// The buffer at fault, a position in the stream's buffers counted from 0. `None`: no one
    /// buffer is.
    #[must_use]
    pub fn buffer(&self) -> Option<u32> {
        self.buffer
    }

    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Error {
            code,
            message: message.into(),
            field: None,
            op: None,
            buffer: None,
            source: None,
        }
    }

    /// Reads what the C interface answered beside `number`, which is not 0. The number counts: the
    /// bytes may be none, where memory was short.
    pub(crate) fn from_answer(number: sys::torqsched_code, answer: &[u8]) -> Self {
        let answer = Message::new(answer);
        let code = Code::from_number(number);
        let text = |field| match answer.text(field) {
            Ok(Some(text)) if !text.is_empty() => Some(text.to_owned()),
            _ => None,
        };
        let position = |field| {
            let value = answer.uint(field).ok().flatten();
            value.and_then(|value| u32::try_from(value).ok())
        };
        Error {
            code,
            message: text(2).unwrap_or_else(|| match code {
                Code::Unknown => format!("code {number} without a message"),
                _ => "no memory was left to say more".to_owned(),
            }),
            field: text(3),
            op: position(4),
            buffer: position(5),
            source: None,
        }
    }

    pub(crate) fn with_source(mut self, source: OracleError) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.message)?;
        match &self.field {
            // Most messages name it already.
            Some(field) if !self.message.contains(field.as_str()) => {
                write!(formatter, " (field {field})")
            }
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.source {
            None => None,
            Some(source) => Some(&**source),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Writer;

    #[test]
    fn codes_are_their_numbers() {
        for number in 1..=16 {
            let code = Code::from_number(number);
            assert_eq!(code.number(), number);
            assert_eq!(code.to_string(), code.name());
        }
        for number in [i32::MIN, -1, 17, i32::MAX] {
            assert_eq!(Code::from_number(number), Code::Unknown);
        }
    }

    #[test]
    fn all_fields_are_read() {
        let bytes = Writer::new()
            .uint(1, 3)
            .bytes(2, b"op 12 'load w3': its size is wrong")
            .bytes(3, b"stream.ops[12].accesses[1].size")
            .uint(4, 12)
            .uint(5, 0)
            .into_bytes();
        let error = Error::from_answer(sys::TORQSCHED_INVALID_ARGUMENT, &bytes);
        assert_eq!(error.code(), Code::InvalidArgument);
        assert_eq!(error.message(), "op 12 'load w3': its size is wrong");
        assert_eq!(error.field(), Some("stream.ops[12].accesses[1].size"));
        assert_eq!((error.op(), error.buffer()), (Some(12), Some(0)));
        assert_eq!(
            error.to_string(),
            "INVALID_ARGUMENT: op 12 'load w3': its size is wrong \
             (field stream.ops[12].accesses[1].size)"
        );
    }

    #[test]
    fn a_field_that_the_message_names_is_not_said_twice() {
        let bytes = Writer::new()
            .bytes(2, b"stream: there is none")
            .bytes(3, b"stream")
            .into_bytes();
        let error = Error::from_answer(sys::TORQSCHED_INVALID_ARGUMENT, &bytes);
        assert_eq!(error.to_string(), "INVALID_ARGUMENT: stream: there is none");
    }

    #[test]
    fn no_bytes_and_bad_bytes_are_an_error_all_the_same() {
        for bytes in [&b""[..], &b"\xff\xff\xff"[..]] {
            let error = Error::from_answer(sys::TORQSCHED_RESOURCE_EXHAUSTED, bytes);
            assert_eq!(error.code(), Code::ResourceExhausted);
            assert_eq!(error.message(), "no memory was left to say more");
            assert_eq!(
                (error.field(), error.op(), error.buffer()),
                (None, None, None)
            );
        }
        assert_eq!(
            Error::from_answer(99, b"").to_string(),
            "UNKNOWN: code 99 without a message"
        );
    }
}
