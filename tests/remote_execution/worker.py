"""A worker for tests/remote_execution/check: leases actions from BuildGrid one at a time, runs each in a folder of its own and stores its
outputs. It has no sandbox and no output directories, which exports do not need. Usage: worker.py ADDRESS FOLDER"""

import hashlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import uuid

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import remote_execution_pb2 as execution
from buildgrid._protos.google.bytestream import bytestream_pb2 as bytestream
from buildgrid._protos.google.bytestream import bytestream_pb2_grpc
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2 as bots
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import bots_pb2_grpc
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import worker_pb2 as workers

ADDRESS, FOLDER = sys.argv[1], os.path.abspath(sys.argv[2])
channel = grpc.insecure_channel(ADDRESS)
contents = bytestream_pb2_grpc.ByteStreamStub(channel)
leases = bots_pb2_grpc.BotsStub(channel)


def fetch(digest):
    """Returns the path of a blob in the worker's folder, where each is fetched once."""
    path = f"{FOLDER}/blobs/{digest.hash}"
    if not os.path.exists(path):
        with open(path + ".partial", "wb") as file:
            if digest.size_bytes:
                request = bytestream.ReadRequest(resource_name=f"blobs/{digest.hash}/{digest.size_bytes}")
                for answer in contents.Read(request):
                    file.write(answer.data)
        os.chmod(file.name, 0o555)
        os.rename(file.name, path)
        print(f"fetched {digest.size_bytes} bytes", flush=True)
    return path


def message(kind, digest):
    with open(fetch(digest), "rb") as file:
        return kind.FromString(file.read())


def lay_out(digest, folder):
    os.makedirs(folder)
    directory = message(execution.Directory, digest)
    for node in directory.files:
        os.link(fetch(node.digest), f"{folder}/{node.name}")
    for node in directory.symlinks:
        os.symlink(node.target, f"{folder}/{node.name}")
    for node in directory.directories:
        lay_out(node.digest, f"{folder}/{node.name}")


def store(file):
    """Stores the contents of a file and returns their digest."""
    digest = execution.Digest(hash=hashlib.file_digest(file, "sha256").hexdigest(), size_bytes=file.tell())
    name = f"uploads/{uuid.uuid4()}/blobs/{digest.hash}/{digest.size_bytes}"

    def requests():
        file.seek(0)
        while data := file.read(1 << 20):
            yield bytestream.WriteRequest(resource_name=name, write_offset=file.tell() - len(data), data=data,
                                          finish_write=file.tell() == digest.size_bytes)

    if digest.size_bytes:
        contents.Write(requests())
    return digest


def run(action, root):
    command = message(execution.Command, action.command_digest)
    lay_out(action.input_root_digest, root)
    folder = os.path.join(root, command.working_directory)
    for path in command.output_files:
        os.makedirs(os.path.dirname(f"{folder}/{path}"), exist_ok=True)
    variables = {variable.name: variable.value for variable in command.environment_variables}
    done = subprocess.run(command.arguments, cwd=folder, env=variables, capture_output=True)
    result = execution.ActionResult(exit_code=done.returncode, stdout_digest=store(io.BytesIO(done.stdout)),
                                    stderr_digest=store(io.BytesIO(done.stderr)))
    for path in command.output_files:
        if os.path.exists(f"{folder}/{path}"):
            with open(f"{folder}/{path}", "rb") as file:
                result.output_files.add(path=path, digest=store(file))
    print(f"ran {command.arguments[0]}, exit status {done.returncode}", flush=True)
    return result


def work(lease):
    digest = execution.Digest()
    root = tempfile.mkdtemp(dir=FOLDER) + "/root"
    try:
        action = execution.Action()
        if not lease.payload.Unpack(action):
            lease.payload.Unpack(digest)
            action = message(execution.Action, digest)
        lease.result.Pack(run(action, root))
    except Exception as error:  # pylint: disable=broad-except  # The engine reports it.
        lease.status.code, lease.status.message = grpc.StatusCode.INTERNAL.value[0], repr(error)
    finally:
        shutil.rmtree(os.path.dirname(root))
    lease.state = bots.LeaseState.Value("COMPLETED")


os.makedirs(f"{FOLDER}/blobs")
device = workers.Device(handle="worker")
session = leases.CreateBotSession(bots.CreateBotSessionRequest(bot_session=bots.BotSession(
    bot_id=f"worker-{os.getpid()}", status=bots.BotStatus.Value("OK"), worker=workers.Worker(devices=[device]))), timeout=20)
while True:
    for lease in session.leases:
        if lease.state == bots.LeaseState.Value("ACTIVE"):
            work(lease)
    session = leases.UpdateBotSession(bots.UpdateBotSessionRequest(name=session.name, bot_session=session), timeout=20)
