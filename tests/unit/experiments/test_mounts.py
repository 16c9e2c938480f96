"""File systems are told by the mount table, and what others share is never taken for local."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from lessons.lesson03.experiments.mounts import (
    Kind,
    Mount,
    file_system_of,
    kind_of,
    mount_of,
    parse_mount_command,
    parse_mountinfo,
)

MOUNTINFO = r"""
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:25 / /dev/shm rw,relatime shared:4 - tmpfs tmpfs rw
31 27 0:40 / /home rw,relatime shared:9 master:2 - nfs4 filer:/export/home rw,vers=4.2
32 31 0:41 / /home/shared\040space rw - lustre mds@tcp:/work rw
33 27 0:42 / /scratch rw - gpfs scratch rw
34 27 0:43 / /ceph rw - ceph 10.0.0.1:6789:/ rw
35 27 0:44 / /layers rw - overlay overlay rw,lowerdir=/l,upperdir=/u
36 27 0:45 / /bucket ro - fuse.s3fs s3fs ro
37 31 254:3 / /home/local rw - xfs /dev/vdb rw
38 27 254:0 / /bind rw - ext4 /dev/vda rw
39 27 0:46 / /bind rw - nfs filer:/x rw
"""


@pytest.mark.parametrize(
    ("path", "type_", "kind"),
    [
        ("/srv/x", "ext4", Kind.LOCAL),
        ("/dev/shm/a", "tmpfs", Kind.MEMORY),
        ("/home/ann", "nfs4", Kind.SHARED),
        ("/homework", "ext4", Kind.LOCAL),
        ("/home/shared space/run", "lustre", Kind.SHARED),
        ("/home/local/run", "xfs", Kind.LOCAL),
        ("/scratch", "gpfs", Kind.SHARED),
        ("/ceph/a/b", "ceph", Kind.SHARED),
        ("/layers", "overlay", Kind.OVERLAY),
        ("/bucket", "fuse.s3fs", Kind.SHARED),
        ("/bind", "nfs", Kind.SHARED),  # mounted over another: the last one counts
    ],
)
def test_a_path_belongs_to_its_deepest_mount(path: str, type_: str, kind: Kind) -> None:
    mount = mount_of(PurePosixPath(path), parse_mountinfo(MOUNTINFO))
    assert mount is not None
    assert (mount.type, kind_of(mount.type)) == (type_, kind)


def test_read_only_and_device_are_told() -> None:
    by_point = {mount.point: mount for mount in parse_mountinfo(MOUNTINFO)}
    assert by_point["/bucket"].read_only
    assert not by_point["/"].read_only
    assert by_point["/"].device == "254:0"


def test_macos_mounts() -> None:
    text = (
        "/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)\n"
        "/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)\n"
        "//ann@nas/team on /Volumes/team work (smbfs, nodev, nosuid)\n"
        "filer:/x on /net/x (nfs)\n"
    )
    found = {mount.point: (mount.type, mount.read_only) for mount in parse_mount_command(text)}
    assert found == {
        "/": ("apfs", True),
        "/System/Volumes/Data": ("apfs", False),
        "/Volumes/team work": ("smbfs", False),
        "/net/x": ("nfs", False),
    }


@pytest.mark.parametrize(
    ("type_", "kind"),
    [
        ("fuse.anything-new", Kind.SHARED),
        ("fuseblk", Kind.LOCAL),
        ("NTFS", Kind.LOCAL),
        ("lustre", Kind.SHARED),
        ("fuse.ceph-fuse", Kind.SHARED),
        ("beegfs", Kind.SHARED),
        ("cifs", Kind.SHARED),
        ("neverheardof", Kind.UNKNOWN),
    ],
)
def test_kinds(type_: str, kind: Kind) -> None:
    assert kind_of(type_) is kind


def test_a_link_is_followed_and_a_path_need_not_exist(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    mounts = [Mount(point="/", type="ext4"), Mount(point=real.as_posix(), type="nfs")]
    assert file_system_of(tmp_path / "link" / "not" / "yet", mounts).type == "nfs"
    assert file_system_of(tmp_path / "other", mounts).type == "ext4"


def test_this_machine_has_a_file_system(tmp_path: Path) -> None:
    assert file_system_of(tmp_path).type != "unknown"


def test_without_a_table_the_answer_is_unknown(tmp_path: Path) -> None:
    assert kind_of(file_system_of(tmp_path, []).type) is Kind.UNKNOWN
