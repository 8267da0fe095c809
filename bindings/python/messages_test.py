"""Tests of the message reader and writer of torqsched.py, which need no library."""

import contextlib
import random
import unittest

from torqsched import field, fields


class MessagesTest(unittest.TestCase):
    def test_fields(self) -> None:
        message = (
            field(1, 5) + field(1, 2**64 - 1) + field(2, "Grüße") + field(3, [1, 300, 0])
            + field(3, 7) + field(4, b"ab") + field(4, b"c") + field(5, True) + field(6, -1)
        )  # fmt: skip
        found = fields(message)
        self.assertEqual(2**64 - 1, found.number(1))
        self.assertEqual("Grüße", found.text(2))
        self.assertEqual([1, 300, 0, 7], found.numbers(3))
        self.assertEqual(([b"ab", b"c"], b"abc"), (found.messages(4), found.message(4)))
        self.assertEqual((1, 2**64 - 1), (found.number(5), found.number(6)))
        self.assertIn(1, found)
        self.assertNotIn(9, found)
        self.assertEqual((0, 7, "", "x", b"", []), (found.number(9), found.number(9, 7),
                         found.text(9), found.text(9, "x"), found.message(9), found.numbers(9)))
        self.assertEqual((0, ""), (found.number(2), found.text(1)))  # of another wire type

    def test_other_wire_types(self) -> None:
        fixed = b"\x0d\x01\x00\x00\x00" + b"\x11\x02" + bytes(7)
        found = fields(fixed + b"\xf8\xff\xff\xff\x0f\x03")
        self.assertEqual((1, 2, 3), (found.number(1), found.number(2), found.number(2**29 - 1)))

    def test_bad_bytes(self) -> None:
        for wrong in (
            b"\x08", b"\x08\x80", b"\x08" + b"\x80" * 10 + b"\x00", b"\x12\x05ab", b"\x0d\x00",
            b"\x11\x00", b"\x00\x01", b"\x0b", b"\x0c", b"\x0e", b"\x0f",
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", b"\xff" * 11,
        ):  # fmt: skip
            with self.subTest(wrong), self.assertRaises(ValueError):
                fields(wrong)
        with self.assertRaises(ValueError):
            fields(field(1, b"\x80")).numbers(1)
        with self.assertRaises(ValueError):
            fields(field(1, b"\xff")).text(1)
        with self.assertRaises(TypeError):
            fields(5)
        dice = random.Random(2)
        for _ in range(5000):
            with contextlib.suppress(ValueError):
                fields(dice.randbytes(dice.randrange(30)))

    def test_what_cannot_be_written(self) -> None:
        for number, value in ((0, 1), (-1, 1), (2**29, 1), (1, 2**64), (1, -(2**63) - 1)):
            with self.assertRaises(ValueError):
                field(number, value)


if __name__ == "__main__":
    unittest.main()
