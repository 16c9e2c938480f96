"""What can go wrong with a checkpoint; each message is one sentence for the learner."""

from __future__ import annotations

from lessons.classroom.language import say


class PipelineError(Exception):
    """Base of every failure of the pipeline."""


class MissingPackage(PipelineError):  # noqa: N818  what is missing is the message
    """An optional package is not installed.

    Args:
        package: Its name on the package index.
    """

    def __init__(self, package: str) -> None:
        super().__init__(
            say(
                f"这一步需要 {package}，请运行 pip install 'selfgrading-lessons[labs]' 安装。",
                f"This needs {package}: run pip install 'selfgrading-lessons[labs]'.",
            )
        )


class BadState(PipelineError):  # noqa: N818  the state is bad, not the pipeline
    """The state holds something that cannot be saved."""


class ShardDamaged(PipelineError):  # noqa: N818
    """A shard is torn, changed or not the one that was asked for."""


class SpillFailed(PipelineError):  # noqa: N818
    """The local disk refused the spill; nothing half-written is left under the final name."""


class SaveCancelled(PipelineError):  # noqa: N818
    """The save was cancelled before it was committed."""


class SaverBusy(PipelineError):  # noqa: N818
    """Every snapshot buffer is in use and the saver was told not to wait."""


class CommitRefused(PipelineError):  # noqa: N818
    """The step was not committed: a rank failed, was too slow, or another attempt was first."""


class NewerFormat(PipelineError):  # noqa: N818
    """A newer version of this package wrote the commit marker: an older step is no answer."""


class NothingToRecover(PipelineError):  # noqa: N818
    """No step is complete on all ranks for this failure."""


class StoreError(PipelineError):
    """Base of what an object store answers."""


class StoreTrouble(StoreError):  # noqa: N818
    """Passing trouble (5xx, timeout, broken connection): worth a retry.

    The request may have been carried out all the same: only a look at the store can tell.
    """


class StoreRefused(StoreError):  # noqa: N818
    """The store will never accept this request: wrong key, no permission, wrong checksum."""


class AlreadyThere(StoreError):  # noqa: N818
    """A conditional PUT found the key taken."""


class NotThere(StoreError):  # noqa: N818
    """No object has this key."""
