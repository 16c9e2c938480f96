"""The multi-stage checkpoint pipeline of lesson 3, real and small enough to read in an hour.

A save goes through five stages; only the first one blocks training:

    snapshot   copy the state into a reused host buffer           `staging`   (blocked time)
    spill      aligned writes, checksum, fsync, rename, dir fsync `spill`     (background)
    upload     stream the file to an object store, verified       `upload`    (background)
    report     each rank says what it stored, under which digest  `commit`    (background)
    commit     rank 0 PUTs the manifest, If-None-Match: *         `commit`    (background)

What a save survives grows with the stage it has reached: a crash or a reboot once every rank has
spilled, the loss of a node (and of a zone, where the store does) once the manifest is there.

To read in an hour, in this order, about 1,050 lines: saver, stages, staging, spill, upload, commit,
recovery, retention. The rest are what these stand on.

The interface, stable:

    Address of a store (plain data, can be sent to another process), opened with `.open()`:
        DirectoryAddress(folder=Path(...), survives="node")
        S3Address(endpoint="http://127.0.0.1:1234", bucket="lab", key_id=..., secret=...,
                  survives="zone")
        with s3_server() as address: ...     a real SeaweedFS on loopback, stopped at the end

    Saving, in every rank's process:
        attempt = new_attempt()              one for all ranks of one launch of the job
        saver = Saver(rank=0, ranks=4, node=Path(...), store=address.open(), attempt=attempt,
                      options=SaveOptions())
        ticket = saver.save(step, state)     state: dict[str, np.ndarray or torch.Tensor]
        ticket.blocked_s                     seconds that training stood still
        saved = ticket.wait(timeout_s=60)    Saved: stage, bytes, seconds of every stage
        ticket.cancel()                      True when the save will not be committed by this rank
        saver.close()

    Only the spill, without any store:
        spilled = spill_state(state, shard=ShardId(step=1, attempt=attempt, rank=0, ranks=1),
                              node=Path(...))
        read_shard(spilled.path)             the state again, verified

    After a failure:
        found = recover(failure="process" | "node" | "zone", nodes=[Path(...), ...],
                        store=store or None)
        found.step, found.attempt, found.ranks, found.sources, found.passed_over
        found.load(rank)                     dict of arrays (tensors where tensors were saved)

    A whole job of rank processes, to run and to kill:
        job = Job(ranks=4, ranks_per_node=2, folder=Path(...), store=address, steps=20,
                  save_every=5)
        job.start(); job.kill(rank=1); job.join(); job.states_at(step) -> expected states

Everything that goes wrong is a `PipelineError` whose message is one sentence.
The base install is enough for spills and the directory store (with crc32 in place of xxh3).
"""

from lessons.lesson03.pipeline.addresses import DirectoryAddress, S3Address
from lessons.lesson03.pipeline.errors import PipelineError
from lessons.lesson03.pipeline.job import Job
from lessons.lesson03.pipeline.naming import ShardId, new_attempt
from lessons.lesson03.pipeline.recovery import Recovery, recover
from lessons.lesson03.pipeline.saver import SaveOptions, Saver
from lessons.lesson03.pipeline.server import s3_server
from lessons.lesson03.pipeline.spill import Spilled, read_shard, spill_state
from lessons.lesson03.pipeline.ticket import Saved, Ticket

__all__ = [
    "DirectoryAddress",
    "Job",
    "PipelineError",
    "Recovery",
    "S3Address",
    "SaveOptions",
    "Saved",
    "Saver",
    "ShardId",
    "Spilled",
    "Ticket",
    "new_attempt",
    "read_shard",
    "recover",
    "s3_server",
    "spill_state",
]
