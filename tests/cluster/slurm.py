"""A Slurm cluster of one's own in a folder: a controller and two nodes on this machine, with a GPU each that is none. It has
its own key, configuration and ports, and knows nothing of a Slurm that the machine has."""
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from processes import parent_of, processes_with, send

programs = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue", "srun")
PATIENCE_S = 60
# Debian has the servers where only root looks for programs.
search_path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])

# No cgroups and no accounting, which would be the machine's. A job of a higher tier takes the nodes of a lower one, which
# begins anew if it has asked for that. Nodes are believed to have the cores that they name. Nothing is offered to other
# machines. A busy machine may take its time.
configuration = """
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
MessageTimeout=60
BatchStartTimeout=60
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
MailProg=/bin/true
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
GresTypes=gpu
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
JobRequeue=0
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=8 Gres=gpu:1
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=8 Gres=gpu:1
PartitionName=usual Nodes=n1,n2 Default=YES PriorityTier=1
PartitionName=urgent Nodes=n1,n2 PriorityTier=2
"""


def lacking():
    missing = [name for name in programs if not shutil.which(name, path=search_path)]
    packages = "slurmctld slurmd slurm-client munge"
    return f"there is no {', '.join(missing)}; install Debian's `{packages}`" if missing else ""


def free_ports(count):
    """Below those that connections are given, so that none of them takes one before it is used."""
    found = set()
    while len(found) < count:
        port = random.randrange(12000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                found.add(port)
            except OSError:
                continue
    return list(found)


class Slurm:
    def __init__(self, folder):
        self.folder = folder / "slurm"
        (self.folder / "state").mkdir(parents=True)
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SBATCH_", "SRUN_"))}
        self.environment |= {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": search_path}
        (self.folder / "slurm.conf").write_text(
            configuration.format(folder=self.folder, ports=free_ports(3), user=pwd.getpwuid(os.geteuid()).pw_name))
        (self.folder / "gres.conf").write_text("NodeName=n[1-2] Name=gpu Count=1 File=/dev/null\n")
        (self.folder / "munge.key").touch(mode=0o600)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        self.processes = {}
        self.start("munged", *(f"--{what}={self.folder}/munge.{end}" for what, end in (
            ("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))),
            "--foreground", "--num-threads=2")
        self.wait_until((self.folder / "munge.socket").exists, "munged to listen")
        self.start("slurmctld", "-D", "-i")
        for node in ("n1", "n2"):
            self.start("slurmd", "-D", "-N", node, name=node)
        self.wait_until(lambda: self.states() == {"n1": "idle", "n2": "idle"}, "both nodes to be idle")

    def start(self, program, *arguments, name=None):
        name = name or program
        with open(self.folder / f"{name}.err.log", "a") as words:
            self.processes[name] = subprocess.Popen(
                [shutil.which(program, path=search_path), *arguments], env=self.environment, cwd=self.folder,
                stdout=subprocess.DEVNULL, stderr=words, start_new_session=True)

    def stop(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def wait_until(self, condition, what):
        until = time.monotonic() + PATIENCE_S
        while not condition():
            ended = [name for name, process in self.processes.items() if process.poll() is not None]
            if ended or time.monotonic() > until:
                words = "".join(log.read_text(errors="replace")[-2000:] for log in self.folder.glob("*.err.log"))
                raise RuntimeError(f"waited for {what}; these have ended: {ended}\n{words}")
            time.sleep(0.1)

    def run(self, *command, check=True, **more):
        ran = subprocess.run(command, env=self.environment | more, check=check, text=True, capture_output=True)
        return ran.stdout.strip()

    def states(self):
        lines = self.run("sinfo", "-h", "-N", "-p", "usual", "-o", "%N %T", check=False).splitlines()
        return dict(line.split() for line in lines)

    def submit(self, *arguments, **environment):
        """The job's number. The job gets `environment` too."""
        return self.run("sbatch", "--parsable", *map(str, arguments), **environment)

    def jobs(self, job=None):
        """Those that have not ended: number of the task -> state, as squeue has them."""
        found = [line.split() for line in self.run("squeue", "-h", "-r", "-o", "%i %T %F").splitlines()]
        return {task: state for task, state, of in found if job in (None, of)}

    def node_of(self, process):
        environment = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
        return next(text.partition(b"=")[2].decode() for text in environment if text.startswith(b"SLURMD_NODENAME="))

    def kill_node(self, node):
        """Its daemon and all that it has started, the daemon first, so that nobody reports the end of the others. The controller
        would learn of it when the node has not answered for long."""
        tasks = set(processes_with(f"SLURMD_NODENAME={node}")) & set(processes_with(str(self.folder)))
        keepers = {parent_of(task) for task in tasks} - {1, None} - tasks
        daemon = self.processes.pop(node)
        for process in [daemon.pid, *keepers, *tasks]:
            send(process, signal.SIGKILL)
        daemon.wait()
        self.run("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=died")

    def release(self, task):
        """A requeued job waits for two minutes, until what might be left of it has lost its credential."""
        self.run("scontrol", "update", f"JobId={task}", "StartTime=now", check=False)
