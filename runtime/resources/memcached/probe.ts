import type { Probing } from "../../probe/probe.ts";
import { probeAddresses } from "../../probe/probe-address.ts";
import { memcachedServers } from "./addresses.ts";
import { createMemcachedConnection, type MemcachedConnection } from "./connection.ts";

/** The options of a cache that the probe reads. */
export interface MemcachedProbeOptions {
  readonly addresses: readonly string[];
}

/** Requests the version of each server; writes nothing. */
export async function probeMemcached(options: MemcachedProbeOptions, probing: Probing): Promise<void> {
  if (probing.isComputed(options, "addresses")) return;
  const servers = memcachedServers(options.addresses);
  if (!(await probeAddresses(servers, probing))) return;
  for (const server of servers) {
    const connection = createMemcachedConnection(server, () => undefined);
    await probing.open(
      "connection",
      () => opened(connection),
      async () => connection.close(),
    );
    await probing.check(`answer of ${server.host}:${server.port} to version`, () =>
      connection.ask(Buffer.from("version\r\n")),
    );
  }
}

async function opened(connection: MemcachedConnection): Promise<MemcachedConnection> {
  await connection.open();
  return connection;
}
