// Reports changes of files and folders. Node tells that an entry of a folder was added or removed, or that it was
// changed, but not which of the two: a record of each watched folder is compared with its present state.

import { type BigIntStats, type FSWatcher, watch } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, normalize, sep } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Input, InputContext } from "../../component/component.ts";
import { createRedelivery } from "../../component/redelivery.ts";
import { abort } from "../../concurrency/abort.ts";
import { DeliveryWindow, singly } from "../../concurrency/delivery-window.ts";
import { Fifo } from "../../concurrency/fifo.ts";
import { sourceFrom } from "../../conditions/blockage.ts";
import { GatewayError } from "../../errors.ts";
import { Message } from "../../message/message.ts";
import type { Value } from "../../message/value.ts";
import { fileFault, machineFile } from "../../process/machine-files.ts";
import { type FsEventInputOptions, fsEventInputDefaults } from "./generated/input-options.ts";

type Operation = "CREATE" | "WRITE" | "REMOVE" | "RENAME" | "CHMOD";

/** A change to report. */
interface Change {
  readonly path: string;
  readonly operation: Operation;
  readonly isFolder: boolean;
  /** When the system reported it, in milliseconds since 1970. */
  readonly time: number;
}

/** A watched file or folder. */
interface Watched {
  readonly path: string;
  readonly watcher: FSWatcher;
  /** Its own state, and that of the entries of a folder by name; `undefined` for an entry that was already removed. */
  self: BigIntStats | undefined;
  readonly entries: Map<string, BigIntStats | undefined>;
}

/** What the system reports: that the named entry was added or removed (`rename`), or changed. */
interface Notice {
  readonly watched: Watched;
  readonly kind: string;
  readonly name: string;
  readonly time: number;
}

/** Number of changes in flight. */
const inFlightLimit = 1024;

/** Number of notices that wait; further ones are dropped, as by the queue of the system. */
const noticeLimit = 65_536;

/** Number of entries of a folder that are read at a time. */
const entriesAtATime = 64;

/**
 * Watches files and folders. The order of changes is kept for each path. This process holds a change until it is
 * delivered; a crash loses it.
 */
export function fsEventInput(options: FsEventInputOptions): Input {
  const settings = { ...fsEventInputDefaults, ...options };
  const closing = new AbortController();
  const watching = new Watching(settings.watch_new_subdirs, closing.signal);
  const isWanted = extensionFilter(settings.extensions);
  let running: Promise<void> | undefined;

  async function report(context: InputContext): Promise<void> {
    const redelivery = createRedelivery(context, sourceFrom({ path: "fsevent_path" }));
    const window = new DeliveryWindow<Message>({
      limit: inFlightLimit,
      collectors: context.collectors,
      held: 0,
      bytes: Number.POSITIVE_INFINITY,
      sizeOf: () => 0,
      deliver: singly(async (message) => void (await redelivery.deliver([message], closing.signal))),
      onDropped: () => undefined, // cannot happen: changes wait for room
    });
    for await (const change of watching.changes(context)) {
      if (!isWanted(change.path)) continue;
      await window.room();
      if (closing.signal.aborted) break;
      window.take(messageOf(change), false);
    }
    await window.idle();
    if (closing.signal.aborted) return;
    context.log.warn("nothing is left to watch", { paths: settings.paths });
    context.reportEnd?.();
  }

  return {
    sequenceOf: ({ metadata }) => ({ name: String(metadata.get("fsevent_path")), isKey: false }),
    async start(context) {
      // If a path does not exist, `start` fails: the stream reports that, and tries again.
      for (const path of settings.paths) await watching.begin(path, settings.is_recursive, context);
      running = report(context).catch((error: unknown) => {
        context.log.error("changes of files cannot be read", { error });
        context.beginOutage?.("changes of files cannot be read");
      });
    },
    async close() {
      abort(closing);
      watching.close();
      await running;
    },
  };
}

/** The watched files and folders, and their changes. */
class Watching {
  readonly #watched = new Map<string, Watched>();
  readonly #notices = new Fifo<Notice>();
  readonly #takesNew: boolean;
  readonly #closing: AbortSignal;
  #dropped = 0;
  #wake: () => void = () => undefined;

  constructor(takesNew: boolean, closing: AbortSignal) {
    this.#takesNew = takesNew;
    this.#closing = closing;
  }

  /** Watches a path of the configuration, and the folders below it if `isRecursive`. */
  async begin(path: string, isRecursive: boolean, context: InputContext): Promise<void> {
    const normal = normalize(path);
    const cleaned = normal.length > 1 && normal.endsWith(sep) ? normal.slice(0, -1) : normal;
    try {
      await this.#add(cleaned);
    } catch (error) {
      throw new GatewayError(500, `${path} cannot be watched (${fileFault(error)})`, { cause: error });
    }
    if (isRecursive) await this.#addBelow(cleaned, context);
  }

  /** Yields the changes until nothing is left to watch, or until it is closed. */
  async *changes(context: InputContext): AsyncGenerator<Change> {
    while (this.#watched.size > 0 && !this.#closing.aborted) {
      const notice = this.#notices.shift();
      if (notice === undefined) {
        await this.#nextNotice(context);
      } else if (this.#watched.get(notice.watched.path) === notice.watched) {
        yield* this.#judge(notice, context);
      }
    }
  }

  close(): void {
    for (const watched of [...this.#watched.values()]) this.#remove(watched);
    this.#wake();
  }

  async #nextNotice({ log }: InputContext): Promise<void> {
    if (this.#dropped > 0) {
      log.warn("the stream is too slow for changes of files, changes were dropped", { count: this.#dropped });
      this.#dropped = 0;
    }
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }

  async #add(path: string): Promise<Watched | undefined> {
    if (this.#closing.aborted || this.#watched.has(path)) return undefined;
    const watcher = watch(machineFile(path));
    const watched: Watched = { path, watcher, self: undefined, entries: new Map() };
    this.#watched.set(path, watched);
    watcher.on("change", (kind, name) => this.#note(watched, kind, String(name ?? basename(path))));
    watcher.on("error", () => this.#note(watched, "rename", basename(path)));
    try {
      watched.self = await stat(path, { bigint: true });
      if (watched.self.isDirectory()) await readEntries(path, watched.entries);
    } catch (error) {
      this.#remove(watched);
      throw error;
    }
    return watched;
  }

  /** Watches all folders below a watched one. A folder that cannot be watched is logged and left out. */
  async #addBelow(path: string, { log }: InputContext): Promise<readonly Watched[]> {
    const added: Watched[] = [];
    let failed = 0;
    let firstError: unknown;
    const top = this.#watched.get(path);
    const remaining = top === undefined ? [] : [top];
    for (let folder = remaining.pop(); folder !== undefined; folder = remaining.pop()) {
      for (const [name, entry] of folder.entries) {
        if (entry?.isDirectory() !== true) continue;
        try {
          const watched = await this.#add(`${folder.path}/${name}`);
          if (watched === undefined) continue;
          added.push(watched);
          remaining.push(watched);
        } catch (error) {
          failed += 1;
          firstError ??= error;
        }
      }
    }
    if (failed > 0) log.warn("folders cannot be watched", { path, count: failed, error: firstError });
    return added;
  }

  /** Stops watching a path and all below it, whose names are no longer right when it was moved. */
  #remove(watched: Watched): void {
    const below = `${watched.path}/`;
    for (const each of [...this.#watched.values()]) {
      if (each !== watched && !each.path.startsWith(below)) continue;
      each.watcher.close();
      this.#watched.delete(each.path);
    }
  }

  #note(watched: Watched, kind: string, name: string): void {
    if (this.#notices.length >= noticeLimit) {
      this.#dropped += 1;
      return;
    }
    this.#notices.push({ watched, kind, name, time: Date.now() });
    this.#wake();
  }

  async *#judge(notice: Notice, context: InputContext): AsyncGenerator<Change> {
    if (await isOfItself(notice)) yield* this.#judgeItself(notice);
    else if (notice.kind === "change") yield* this.#judgeChanged(notice);
    else yield* this.#judgeEntry(notice, context);
  }

  /** The watched path was changed, removed or renamed; the last two end the watch. */
  async *#judgeItself(notice: Notice): AsyncGenerator<Change> {
    const { watched, kind, time } = notice;
    const { path } = watched;
    const above = dirname(path);
    const isReportedAbove = above !== path && this.#watched.has(above);
    if (kind === "change") {
      const next = await stateOf(path, stat);
      // A removed file loses its last name before it is removed.
      const operation = watched.self && next ? changeOf(watched.self, next) : "CHMOD";
      watched.self = next ?? watched.self;
      if (!isReportedAbove) yield { path, operation, isFolder: next?.isDirectory() === true, time };
      return;
    }
    // After a removal, the system also reports the end of the watch.
    const next = await this.#peek();
    const isRemoved = next?.watched === watched && next.kind === "rename";
    this.#remove(watched);
    if (!isReportedAbove) yield { path, operation: isRemoved ? "REMOVE" : "RENAME", isFolder: false, time };
  }

  async *#judgeChanged({ watched, name, time }: Notice): AsyncGenerator<Change> {
    const path = `${watched.path}/${name}`;
    const next = await stateOf(path);
    const known = watched.entries.get(name);
    const operation = known && next ? changeOf(known, next) : "WRITE";
    if (next !== undefined) watched.entries.set(name, next);
    yield { path, operation, isFolder: await leadsToFolder(path, next), time };
  }

  async *#judgeEntry({ watched, name, time }: Notice, context: InputContext): AsyncGenerator<Change> {
    const { entries } = watched;
    const path = `${watched.path}/${name}`;
    const next = await stateOf(path);
    const known = entries.get(name);
    // Several notices may have led to the state that was reported after the first of them.
    if (next !== undefined && known !== undefined && isSame(known, next)) return;
    // The system would report a folder that moved under its old name as long as that is watched.
    const before = this.#watched.get(path);
    if (before !== undefined) this.#remove(before);
    if (next === undefined && entries.has(name)) {
      entries.delete(name);
      yield { path, operation: await this.#endOf(known), isFolder: false, time };
      return;
    }
    entries.set(name, next);
    yield { path, operation: "CREATE", isFolder: await leadsToFolder(path, next), time };
    if (this.#takesNew && next?.isDirectory() === true) yield* this.#takeFolder(path, time, context);
  }

  /** Watches a new folder and those below it, and reports what they contain already. */
  async *#takeFolder(path: string, time: number, context: InputContext): AsyncGenerator<Change> {
    try {
      const watched = await this.#add(path);
      if (watched === undefined) return;
      for (const folder of [watched, ...(await this.#addBelow(path, context))]) {
        for (const [name, entry] of folder.entries) {
          const found = `${folder.path}/${name}`;
          yield { path: found, operation: "CREATE", isFolder: await leadsToFolder(found, entry), time };
        }
      }
    } catch (error) {
      context.log.warn("a new folder cannot be watched", { path, error });
    }
  }

  /** Returns what happened to a missing entry: the next notice is that of its new name if it was renamed. */
  async #endOf(known: BigIntStats | undefined): Promise<Operation> {
    const next = await this.#peek();
    if (known === undefined || next?.kind !== "rename") return "REMOVE";
    const moved = await stateOf(`${next.watched.path}/${next.name}`);
    return moved !== undefined && isSame(known, moved) ? "RENAME" : "REMOVE";
  }

  /** Returns the next notice; the system reports what belongs together at one time. */
  async #peek(): Promise<Notice | undefined> {
    for (let turn = 0; turn < 2 && this.#notices.length === 0; turn += 1) await nextTurn();
    return this.#notices.at(0);
  }
}

/** Whether the notice is about the watched path itself, for which the system gives its last name. */
async function isOfItself({ watched, name }: Notice): Promise<boolean> {
  const { path, self, entries } = watched;
  if (self?.isDirectory() !== true) return true;
  if (name !== basename(path)) return false;
  const present = await stateOf(path, stat);
  if (present === undefined || !isSame(self, present)) return true;
  return !entries.has(name) && (await stateOf(`${path}/${name}`)) === undefined;
}

async function readEntries(path: string, entries: Watched["entries"]): Promise<void> {
  const names = await readdir(path);
  for (let first = 0; first < names.length; first += entriesAtATime) {
    const some = names.slice(first, first + entriesAtATime);
    const states = await Promise.all(some.map((name) => stateOf(`${path}/${name}`)));
    for (const [index, name] of some.entries()) {
      const state = states[index];
      if (state !== undefined) entries.set(name, state);
    }
  }
}

/** Returns the state of a path; `undefined` if it is missing or cannot be read. */
async function stateOf(path: string, read: typeof lstat = lstat): Promise<BigIntStats | undefined> {
  return read(path, { bigint: true }).catch(() => undefined);
}

async function leadsToFolder(path: string, state: BigIntStats | undefined): Promise<boolean> {
  const target = state?.isSymbolicLink() === true ? await stateOf(path, stat) : state;
  return target?.isDirectory() === true;
}

/** Whether both are states of the same file. A number that was used again has another time of birth. */
function isSame(a: BigIntStats, b: BigIntStats): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.birthtimeNs === b.birthtimeNs;
}

/** Returns the change between two states. If there is none, an earlier notice saw both changes. */
function changeOf(from: BigIntStats, to: BigIntStats): Operation {
  if (to.isDirectory()) return "CHMOD";
  if (from.size !== to.size) return "WRITE";
  if (from.mtimeNs !== to.mtimeNs) return to.mtimeNs === to.ctimeNs ? "WRITE" : "CHMOD";
  return from.ctimeNs !== to.ctimeNs || to.size === 0n ? "CHMOD" : "WRITE";
}

function messageOf({ path, operation, isFolder, time }: Change): Message {
  const seconds = Math.floor(time / 1000);
  const metadata = new Map<string, Value>([
    ["fsevent_path", path],
    ["fsevent_operation", operation],
    ["fsevent_mod_time_unix", seconds],
    ["fsevent_mod_time", new Date(seconds * 1000).toISOString().replace(".000Z", "Z")],
    ["fsevent_is_dir", isFolder],
  ]);
  return Message.fromBytes(new Uint8Array(), metadata);
}

/** Returns whether the changes of a path are reported. */
function extensionFilter(extensions: readonly string[]): (path: string) => boolean {
  const wanted = new Set(extensions.map((each) => (each === "" || each.startsWith(".") ? each : `.${each}`)));
  return (path) => {
    const name = basename(path);
    const dot = name.lastIndexOf(".");
    return wanted.size === 0 || wanted.has(dot === -1 ? "" : name.slice(dot));
  };
}
