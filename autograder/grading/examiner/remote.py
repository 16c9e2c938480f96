"""The learner's side as a test cell sees it: plain values, and functions that can only be called.

Everything a test gets from here is an exact built-in type that `wall.decode` made, a
`RemoteFunction`, or an exception of a built-in class. What cannot be had that way is a `Fault`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Final, NoReturn

from autograder.grading import wall

Ask = Callable[[dict[str, Any]], dict[str, Any]]

MAX_MESSAGE_CHARS: Final = 2000
CALL_MARK: Final = "__wall_call__"
# Raised inside a built-in loop (`all(map(f, inputs))`) these end it early, as if all were well.
_ENDS_A_LOOP: Final = frozenset({"StopIteration", "StopAsyncIteration", "GeneratorExit"})


class Reason(StrEnum):
    """Why a test cannot go on with what the learner's side gave."""

    RETURNED_KIND = "returned-kind"
    IS_KIND = "is-kind"
    UNREADABLE = "unreadable"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    BAD_ARGUMENT = "bad-argument"
    LIMITS = "limits"


class Fault(BaseException):
    """What no `except Exception` of a test cell may take for the exception it hopes for.

    Attributes:
        name: The learner's name that was asked for.
        kind: From `wall.Kind`, where the reason is about one.
    """

    def __init__(self, reason: Reason, name: str, kind: wall.Kind | None = None) -> None:
        self.reason = reason
        self.name = name
        self.kind = kind
        super().__init__(" ".join(filter(None, (reason, name, kind))))


class MissingName(NameError):  # noqa: N818 - named for the sentence it gives
    """The learner's side has no such name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"name {name!r} is not defined", name=name)


class FunctionMisuse(TypeError):  # noqa: N818 - named for the sentence it gives
    """A function of the learner's was used as something other than a function."""

    def __init__(self, name: str, use: str) -> None:
        self.function = name
        super().__init__(f"{name} is a function across the wall: it can be called, not {use}")


class Remote:
    """One snapshot of a learner's namespace, asked by turns.

    Args:
        ask: Sends one question and returns the reply, which may be forged.

    Attributes:
        fault: The first fault; it decides the verdict even when a test cell swallows it.
        text_crossed: Whether any text of the learner's has come across.
        last_call: Name, arguments and result of the latest call, for the instructor.
    """

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.fault: Fault | None = None
        self.text_crossed = False
        self.last_call: tuple[str, tuple[object, ...], object] | None = None

    def get(self, name: str) -> Any:
        """The value of a name, or a `RemoteFunction`.

        Raises:
            MissingName: There is none.
            Fault: It is no plain data, or the reply is no reply.
        """
        reply = self._reply({"op": "get", "name": name}, name, Reason.IS_KIND)
        if reply == {"callable": True}:
            return RemoteFunction(self, name)
        return self._value(reply, name)

    def call(self, name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> Any:
        """Call a function there and return its result as plain data.

        Raises:
            Exception: What the function raised, as the built-in class nearest to it.
            Fault: An argument or the result cannot cross, or the reply is no reply.
        """
        self.last_call = (name, args, "…")
        encoded = self._encoded(name, (*args, *kwargs.values()))
        question = {
            "op": "call",
            "name": name,
            "args": encoded[: len(args)],
            "kwargs": dict(zip(kwargs, encoded[len(args) :], strict=True)),
        }
        reply = self._reply(question, name, Reason.RETURNED_KIND)
        if "raised" in reply:
            self._raise(reply, name)
        result = self._value(reply, name)
        self.last_call = (name, args, result)
        return result

    def fail(self, reason: Reason, name: str, kind: wall.Kind | None = None) -> NoReturn:
        """Raise a fault that is also remembered."""
        fault = Fault(reason, name, kind)
        self.fault = self.fault or fault
        raise fault

    def _encoded(self, name: str, values: tuple[object, ...]) -> list[Any]:
        function = next((item for item in values if type(item) is RemoteFunction), None)
        if function is not None:  # the learner's value was to be data
            self.fail(Reason.IS_KIND, remote_name(function), wall.Kind.FUNCTION)
        try:
            members: list[Any] = wall.encode(values)[1]  # all at once, within one bound
        except wall.Unsupported as unsupported:
            # Only what the test's author passes can be of a wrong kind; its size may be the
            # learner's doing.
            sized = unsupported.kind in (wall.Kind.TOO_LARGE, wall.Kind.TOO_DEEP)
            reason = Reason.LIMITS if sized else Reason.BAD_ARGUMENT
            self.fail(reason, name, unsupported.kind)
        return members

    def _reply(self, question: dict[str, Any], name: str, about: Reason) -> dict[str, Any]:
        """The reply, once it is known not to say that there is no answer."""
        try:
            reply = self._ask(question)
        except Exception:  # no exception that a test cell could take for the learner's
            self.fail(Reason.CRASHED, name)
        match reply:
            case {"missing": True}:
                raise MissingName(name)
            case {"unsupported": str(kind)} if kind in list(wall.Kind):
                self.fail(about, name, wall.Kind(kind))
            case {"unsupported": _}:
                self.fail(about, name, wall.Kind.OBJECT)
            case {"lost": "timeout"}:
                self.fail(Reason.TIMEOUT, name)
            case {"lost": _}:
                self.fail(Reason.CRASHED, name)
        return reply

    def _value(self, reply: dict[str, Any], name: str) -> Any:
        if reply.keys() != {"value"}:
            self.fail(Reason.UNREADABLE, name)
        try:
            value = wall.decode(reply["value"])
        except wall.WallError:
            self.fail(Reason.UNREADABLE, name)
        self.text_crossed = self.text_crossed or _holds_text(reply["value"])
        return value

    def _raise(self, reply: dict[str, Any], name: str) -> NoReturn:
        match reply:
            case {"raised": str(raised), "message": str(message), **rest} if not rest:
                self.text_crossed = self.text_crossed or bool(message)
                error = built_in_error(raised, _whole(message[:MAX_MESSAGE_CHARS]))
                self.last_call = (*self.last_call[:2], error) if self.last_call else None
                setattr(error, CALL_MARK, name)
                raise error
        self.fail(Reason.UNREADABLE, name)


def _whole(message: str) -> str:
    """A message that can be written as UTF-8: lone surrogates become question marks."""
    return message.encode("utf-8", "replace").decode("utf-8")


def _holds_text(encoded: list[Any]) -> bool:
    """Whether an encoding, already found valid, holds text or bytes."""
    stack: list[Any] = [encoded]
    while stack:
        item = stack.pop()
        if type(item) is list and item:
            if item[0] in ("s", "B"):
                return True
            stack += item
    return False


def built_in_error(name: str, message: str) -> BaseException:
    """An exception of the built-in class of that name, else an Exception."""
    if name in _ENDS_A_LOOP:
        return RuntimeError(f"{name}: {message}")
    kind = wall.EXCEPTIONS.get(name, Exception)
    special: dict[str, tuple[Any, ...]] = {
        "UnicodeDecodeError": ("utf-8", b"", 0, 0, message),
        "UnicodeEncodeError": ("utf-8", "", 0, 0, message),
        "UnicodeTranslateError": ("", 0, 0, message),
        "ExceptionGroup": (message, [Exception(message)]),
        "BaseExceptionGroup": (message, [BaseException(message)]),
    }
    return kind(*special.get(kind.__name__, (message,)))


class RemoteFunction:
    """A function on the other side of the wall: it can be called with data, and nothing else."""

    __slots__ = ("_call", "_name")

    def __init__(self, remote: Remote, name: str) -> None:
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_call", remote.call)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Call it there; see `Remote.call`."""
        return object.__getattribute__(self, "_call")(remote_name(self), args, kwargs)

    def __repr__(self) -> str:
        return f"<function {remote_name(self)} across the wall>"

    def __getattr__(self, name: str) -> str:
        if name == "__name__":
            return remote_name(self)
        raise FunctionMisuse(remote_name(self), f"asked for .{name}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FunctionMisuse(remote_name(self), f"given .{name}")

    def _refuse(self, *_other: object) -> NoReturn:
        raise FunctionMisuse(remote_name(self), "compared or computed with")

    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refuse
    __truediv__ = __rtruediv__ = __float__ = __int__ = __index__ = _refuse
    __iter__ = __len__ = __getitem__ = __contains__ = __bool__ = _refuse
    __hash__ = object.__hash__  # a test may keep functions in a dict; identity settles them


def remote_name(function: RemoteFunction) -> str:
    """The learner's name of a function across the wall."""
    name: str = object.__getattribute__(function, "_name")
    return name
