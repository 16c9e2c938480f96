"""An S3 bucket as object store, through obstore.

Every body carries its CRC64/NVME, which the server compares with what it received before the
object (or one part of a multipart upload) counts; a body that changed on the way is refused. A
multipart upload that is broken off is aborted, so that no parts stay behind and cost money; after
a killed process they do stay, which is what a bucket's lifecycle rule is for.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from lessons.classroom.language import say
from lessons.lesson03.pipeline.checksums import Block
from lessons.lesson03.pipeline.errors import (
    AlreadyThere,
    MissingPackage,
    NotThere,
    PipelineError,
    StoreRefused,
    StoreTrouble,
)
from lessons.lesson03.pipeline.store import Blocks

if TYPE_CHECKING:
    from obstore.store import S3Store as Client

    from lessons.lesson03.pipeline.addresses import S3Address

PART_BYTES = 16 * 1024 * 1024
PARALLEL = 4
_REFUSED = (
    "InvalidPathError",
    "NotSupportedError",
    "PermissionDeniedError",
    "UnauthenticatedError",
    "UnknownConfigurationKeyError",
)


class S3Store:
    """A bucket; memory in an upload is bounded by PART_BYTES * (PARALLEL + 2).

    Args:
        address: Where it is.
        timeout_s: For one request, body included.
        retries: How often the client repeats one request (one part) by itself, with exponential
            backoff and jitter; an upload as a whole is repeated by `PatientStore`.

    Raises:
        MissingPackage: obstore is not installed.
    """

    def __init__(self, address: S3Address, *, timeout_s: float = 30.0, retries: int = 3) -> None:
        try:
            from obstore.store import S3Store as Client  # noqa: PLC0415  only `labs` has it
        except ModuleNotFoundError:
            raise MissingPackage("obstore") from None
        self.survives = address.survives
        self._client: Client = Client(
            address.bucket,
            endpoint=address.endpoint,
            region=address.region,
            access_key_id=address.key_id,
            secret_access_key=address.secret,
            checksum_algorithm="CRC64NVME",
            # The checksum above is verified all the same: a SHA-256 of the body on top of it
            # would cost half a CPU second a gigabyte.
            unsigned_payload=True,
            client_options={
                "allow_http": address.endpoint.startswith("http://"),
                "timeout": timedelta(seconds=timeout_s),
            },
            retry_config={
                "max_retries": retries,
                "backoff": {
                    "init_backoff": timedelta(milliseconds=100),
                    "max_backoff": timedelta(seconds=5),
                    "base": 2,
                },
            },
        )

    def upload(self, key: str, blocks: Blocks) -> None:
        """See `Store.upload`."""
        with _told(key):
            self._client.put(key, blocks(), chunk_size=PART_BYTES, max_concurrency=PARALLEL)

    def put(self, key: str, content: bytes) -> None:
        """See `Store.put`."""
        with _told(key):
            self._client.put(key, content, use_multipart=False)

    def create(self, key: str, content: bytes) -> None:
        """See `Store.create`: a PUT with `If-None-Match: *`."""
        with _told(key):
            self._client.put(key, content, mode="create", use_multipart=False)

    def read(self, key: str) -> bytes:
        """See `Store.read`."""
        with _told(key):
            return bytes(self._client.get(key).bytes())

    def stream(self, key: str) -> Iterator[Block]:
        """See `Store.stream`."""
        with _told(key):
            for block in self._client.get(key).stream(min_chunk_size=PART_BYTES):
                yield memoryview(block)

    def size(self, key: str) -> int:
        """See `Store.size`."""
        with _told(key):
            return self._client.head(key)["size"]

    def keys(self, prefix: str) -> list[str]:
        """See `Store.keys`."""
        with _told(prefix):
            return sorted(one["path"] for page in self._client.list(prefix) for one in page)

    def delete(self, keys: Sequence[str]) -> None:
        """See `Store.delete`."""
        with _told(keys[0] if keys else ""), contextlib.suppress(FileNotFoundError):
            self._client.delete(list(keys))


@contextlib.contextmanager
def _told(key: str) -> Iterator[None]:
    """Turn the client's errors into a store's; what a block's source raises goes through."""
    from obstore.exceptions import (  # noqa: PLC0415  only `labs` has it
        AlreadyExistsError,
        BaseError,
        PreconditionError,
    )

    try:
        yield
    except PipelineError:
        raise
    except (AlreadyExistsError, PreconditionError) as error:
        raise AlreadyThere(key) from error
    except FileNotFoundError as error:
        raise NotThere(key) from error
    except (BaseError, OSError, ValueError) as error:
        reason = f"{key}: {str(error)[:300]}"
        if type(error).__name__ in _REFUSED:
            raise StoreRefused(
                say(f"对象存储拒绝了请求（{reason}）。", f"The object store refused ({reason}).")
            ) from error
        raise StoreTrouble(
            say(f"对象存储暂时出错（{reason}）。", f"The object store is in trouble ({reason}).")
        ) from error
