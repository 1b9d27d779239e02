import { Ledger } from "../crash/ledger.ts";
import { numberOf } from "../crash/source.ts";
import { httpServer } from "../harness/http-server.ts";

/** A message of the generator. */
export interface Beat {
  /** The process of the replica that made it. */
  readonly life: string;
  /** When it was made, corrected for the wrong clocks of the replicas. */
  readonly made: number;
}

const minute = 60_000;

/** Starts the server that all streams of all replicas deliver to; each source has its own ledger. */
export async function startSink(sources: readonly string[]) {
  const beats: Beat[] = [];
  const ledgers = new Map(sources.map((name) => [name, new Ledger()]));
  const server = await httpServer(({ path, body }) => {
    if (path === "/beats") {
      const { life, at } = JSON.parse(body) as { life: string; at: number };
      // Clocks are wrong by whole minutes, and no message takes half a minute.
      beats.push({ life, made: at + Math.round((Date.now() - at) / minute) * minute });
    } else ledgers.get(path.slice(1))?.add(numberOf(body));
    return {};
  });
  return { url: server.url, close: () => server.close(), beats, ledgers };
}
