import type { ChildProcess } from "node:child_process";
import { chownSync, existsSync, readdirSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "../directories.ts";
import { findProgram, run, start } from "../processes.ts";
import { type Broker, type BrokerPlace, BrokerUnavailable, startOnPort } from "./broker.ts";

/** The folder in which Debian installs PostgreSQL servers, by version. */
const debianFolder = "/usr/lib/postgresql";

/** The operating system outlives every test: what is written survives a killed server without waiting for the disk. */
const volatile = ["fsync=off", "full_page_writes=off"];

/** The account for PostgreSQL, which refuses to run as root: the user of its package, or `nobody`. */
interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Starts a separate PostgreSQL; `address` is `postgres://sluice@127.0.0.1:PORT/postgres`. */
export async function startPostgres({ port, directory }: BrokerPlace = {}): Promise<Broker> {
  const place = directory ?? temporaryDirectory("postgres");
  const data = join(place, "data");
  const account = await accountOfServer();
  if (account !== undefined) chownSync(place, account.uid, account.gid);
  const options = { cwd: place, ...(account && { account }) };
  if (!existsSync(data)) {
    const plain = ["--username=sluice", "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
    const made = await run(findServer("initdb"), ["-D", data, ...plain], options);
    if (made.status !== 0) throw new Error(`initdb: ${made.stdout}${made.stderr}`);
  }
  const server = await startOnPort(port, async (at) => {
    const settings = [
      `port=${at}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${place}`,
      ...volatile,
    ];
    const program = start(
      findServer("postgres"),
      ["-D", data, ...settings.flatMap((each) => ["-c", each])],
      options,
    );
    await program.matching(/database system is ready to accept connections/);
    releaseProcess(program.process);
    return program;
  });
  return {
    address: `postgres://sluice@127.0.0.1:${server.port}/postgres`,
    stop: async () => {
      // Keeps this process alive until the server has exited.
      holdProcess(server.program.process);
      await server.program.stop("SIGINT"); // does not wait for clients to leave
    },
  };
}

/** Lets this process exit while the server runs: the server ends with it. */
function releaseProcess(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
}

function holdProcess(child: ChildProcess): void {
  child.ref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.ref();
}

function findServer(name: string): string {
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort().reverse() : [];
  const packaged = versions.map((version) => join(debianFolder, version, "bin", name)).find(existsSync);
  const path = packaged ?? findProgram(name);
  if (path === undefined) throw new BrokerUnavailable(`${name} is not installed (Debian package postgresql)`);
  return path;
}

async function accountOfServer(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ["postgres", "nobody"]) {
    const [user, group] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    if (user.status === 0) return { uid: Number(user.stdout), gid: Number(group.stdout) };
  }
  throw new BrokerUnavailable("PostgreSQL does not run as root, and there is no other account");
}
