"""Frames: whole, bounded, in time."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import suppress

import pytest

from autograder.grading.sandbox.channel import (
    MAX_FRAME_BYTES,
    Channel,
    ChannelClosed,
    ChannelTimeout,
    ChannelViolation,
    decode_frame,
    pair,
)


def test_what_is_sent_arrives() -> None:
    one, other = map(Channel, pair())
    one.send({"a": [1, "张三"]})
    one.send({"b": None})
    assert other.receive(1) == {"a": [1, "张三"]}
    assert other.receive(1) == {"b": None}


def test_a_frame_is_a_length_and_json() -> None:
    raw, end = pair()
    Channel(end).send({"é": 1})
    assert raw.recv(100) == b"\x00\x00\x00\x0c" + rb'{"\u00e9":1}'


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"1",
        b"",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' + b"9" * 5_000 + b"}",
        b'{"a":[' + b"[]," * 4_000_001 + b"[]]}",
    ],
    ids=["list", "number", "empty", "cut", "bytes", "deep", "digits", "wide"],
)
def test_what_is_no_frame_is_a_violation(body: bytes) -> None:
    with pytest.raises(ChannelViolation):
        decode_frame(body)


def test_a_long_frame_is_refused_before_it_is_read() -> None:
    raw, end = pair()
    raw.send(struct.pack(">I", MAX_FRAME_BYTES + 1))
    with pytest.raises(ChannelViolation):
        Channel(end).receive(1)


def test_the_deadline_is_for_the_whole_frame() -> None:
    raw, end = pair()
    raw.send(b"\x00\x00\x00\x05{")
    began = time.monotonic()
    with pytest.raises(ChannelTimeout):
        Channel(end).receive(0.1)
    assert 0.1 <= time.monotonic() - began < 1


def test_an_out_of_band_byte_does_not_stop_the_clock() -> None:
    # The socket is readable for ever, and there is never anything to read.
    raw, end = pair()
    raw.send(b"x", socket.MSG_OOB)
    with pytest.raises(ChannelTimeout):
        Channel(end).receive(0.1)


def test_bytes_that_keep_coming_do_not_stop_the_clock() -> None:
    raw, end = pair()
    raw.send(b"\x01\x00\x00\x00")
    done = threading.Event()

    def drip() -> None:
        with suppress(OSError):  # the other end is closed at last
            while not done.is_set():
                raw.send(b" ")

    sender = threading.Thread(target=drip)
    sender.start()
    began = time.monotonic()
    with pytest.raises(ChannelTimeout):
        Channel(end).receive(0.2)
    assert time.monotonic() - began < 2
    done.set()
    end.close()
    sender.join()


def test_an_end_that_does_not_read_is_a_timeout() -> None:
    _raw, end = pair()
    with pytest.raises(ChannelTimeout):
        Channel(end).send({"a": "x" * 10_000_000}, timeout_s=0.1)


def test_a_closed_end_is_said() -> None:
    raw, end = pair()
    channel = Channel(end)
    raw.close()
    with pytest.raises(ChannelClosed):
        channel.receive(1)
    with pytest.raises(ChannelClosed):
        channel.send({})
    channel.close()
    with pytest.raises(ChannelClosed):
        channel.receive(1)
