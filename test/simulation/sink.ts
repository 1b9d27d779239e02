import { Ledger } from "../crash/ledger.ts";
import { numberOf } from "../crash/source.ts";
import { httpServer } from "../harness/http-server.ts";

/** A message of the generator. */
export interface Beat {
  /** The life of the replica that made it. */
  readonly life: string;
  /** When it was made, by the clock that all replicas would have if theirs were right. */
  readonly made: number;
}

const minute = 60_000;

/** Where all streams of all replicas deliver to. */
export async function startSink() {
  const beats: Beat[] = [];
  const ledgers = { jetstream: new Ledger(), streams: new Ledger(), orders: new Ledger() };
  const server = await httpServer(({ path, body }) => {
    if (path === "/beats") {
      const { life, at } = JSON.parse(body) as { life: string; at: number };
      // Clocks are wrong by whole minutes, and no message takes half of one.
      beats.push({ life, made: at + Math.round((Date.now() - at) / minute) * minute });
    } else ledgers[path.slice(1) as keyof typeof ledgers].add(numberOf(body));
    return {};
  });
  return { url: server.url, close: () => server.close(), beats, ledgers };
}
