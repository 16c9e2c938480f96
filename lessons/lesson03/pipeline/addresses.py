"""Where a store is: plain data that any process can be sent, opened where it is used."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from lessons.lesson03.pipeline.directory_store import DirectoryStore
from lessons.lesson03.pipeline.store import PatientStore, Store


@dataclass(frozen=True, kw_only=True)
class DirectoryAddress:
    """A directory store.

    Attributes:
        folder: The folder.
        survives: "node" or "zone": what its file system outlives.
    """

    folder: Path
    survives: str = "node"

    def open(self) -> Store:
        """Open the store, with retries."""
        return PatientStore(DirectoryStore(self.folder, survives=self.survives))


@dataclass(frozen=True, kw_only=True)
class S3Address:
    """A bucket.

    Attributes:
        endpoint: For example "http://127.0.0.1:8333".
        bucket: Its name.
        key_id: Access key.
        secret: Its secret; never shown.
        survives: "zone" for the usual storage classes, "node" for one that lives in one zone.
        region: As the service wants it in signatures.
    """

    endpoint: str
    bucket: str
    key_id: str
    secret: str = field(repr=False)
    survives: str = "zone"
    region: str = "us-east-1"

    def open(self) -> Store:
        """Open the bucket, with retries.

        Raises:
            MissingPackage: obstore is not installed.
        """
        from lessons.lesson03.pipeline.s3_store import S3Store  # noqa: PLC0415  needs `labs`

        return PatientStore(S3Store(self))


Address = DirectoryAddress | S3Address
