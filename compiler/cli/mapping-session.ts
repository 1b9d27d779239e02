// An interactive session for mappings at a terminal: it reads mappings and commands, and prints results and code
// frames.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { CompileError, MappingError } from "../embed/errors.ts";
import type { MessageInput } from "../embed/messages.ts";
import { compileMapping, type MappingOptions } from "../embed/scripts.ts";
import { formatDiagnostics } from "./diagnostics.ts";
import { useColor } from "./terminal.ts";

/** Options of a session. */
export interface SessionOptions extends MappingOptions {
  /** A mapping to run first; empty for none. */
  readonly mapping: string;
  readonly color?: boolean;
}

/** The response to one line of a session. */
export interface SessionAnswer {
  /** The text to print, without a final line break; may be empty. */
  readonly text: string;
  /** `ready` for a new mapping, `more` inside an incomplete one, `ended` after `:quit`. */
  readonly state: "ready" | "more" | "ended";
}

/** A session, independent of a terminal. */
export interface Session {
  /** Handles the next line of input. */
  enter(line: string): Promise<SessionAnswer>;
}

const help = `A mapping is run on the current message and its result is shown. One that is not complete goes on in
the next line; an empty line ends it.
  :message TEXT    make TEXT the current message; alone, show it
  :load FILE       make a file's content the current message
  :meta NAME TEXT  set metadata of the current message; alone, show it
  :help            this
  :quit            leave`;

/** Creates a session whose current message is an empty object. */
export function createSession({ color = false, ...options }: MappingOptions & { color?: boolean }): Session {
  let message: Required<Pick<MessageInput, "content" | "metadata">> = { content: "{}", metadata: {} };
  let entered: string[] = [];

  async function runEntered(): Promise<SessionAnswer> {
    const source = entered.join("\n");
    const answer = await runMapping(source, message, options, color);
    // An incomplete mapping is not an error until an empty line ends it.
    if (answer === unfinished) return { text: "", state: "more" };
    entered = [];
    return { text: answer, state: "ready" };
  }

  function command(line: string): SessionAnswer {
    const [, name = "", rest = ""] = /^:(\S*)\s*(.*)$/s.exec(line) ?? [];
    const ready = (text = ""): SessionAnswer => ({ text, state: "ready" });
    switch (name) {
      case "quit":
      case "q":
        return { text: "", state: "ended" };
      case "help":
        return ready(help);
      case "message":
        if (rest !== "") message = { ...message, content: rest };
        return ready(rest === "" ? textOf(message.content) : "");
      case "load": {
        const read = readOrSay(rest);
        if (typeof read !== "string") message = { ...message, content: read };
        return ready(typeof read === "string" ? read : "");
      }
      case "meta": {
        const [, key = "", value = ""] = /^(\S*)\s*(.*)$/s.exec(rest) ?? [];
        if (key === "") return ready(show(message.metadata));
        message = { ...message, metadata: { ...message.metadata, [key]: value } };
        return ready();
      }
      default:
        return ready(`Unknown command :${name}; :help lists the commands.`);
    }
  }

  return {
    async enter(line) {
      if (entered.length === 0 && line.startsWith(":")) return command(line.trimEnd());
      if (line.trim() === "") {
        if (entered.length === 0) return { text: "", state: "ready" };
        // The empty line is not part of the mapping; it marks its end.
        const source = entered.join("\n");
        entered = [];
        return { text: await runMapping(source, message, options, color, true), state: "ready" };
      }
      entered.push(line);
      return runEntered();
    },
  };
}

const unfinished = Symbol("unfinished");

function runMapping(
  source: string,
  message: MessageInput,
  options: MappingOptions,
  color: boolean,
  complete: true,
): Promise<string>;
function runMapping(
  source: string,
  message: MessageInput,
  options: MappingOptions,
  color: boolean,
): Promise<string | typeof unfinished>;
async function runMapping(
  source: string,
  message: MessageInput,
  options: MappingOptions,
  color: boolean,
  complete = false,
): Promise<string | typeof unfinished> {
  try {
    const result = compileMapping(source, options).run(message);
    if (result === null) return "(deleted)";
    const metadata = Object.keys(result.metadata).length === 0 ? "" : `\nmetadata: ${show(result.metadata)}`;
    return `${textOf(result.content)}${metadata}`;
  } catch (error) {
    if (error instanceof MappingError) return error.message;
    if (!(error instanceof CompileError)) throw error;
    if (!complete && isUnfinished(source, error)) return unfinished;
    return (await formatDiagnostics(error.found, "pretty", color)).trimEnd();
  }
}

/** Whether the error is at the very end of the text, so that further lines may complete it. */
function isUnfinished(source: string, { found }: CompileError): boolean {
  const end = source.trimEnd().length;
  return found.some(({ code, span }) => code.startsWith("GW2") && span.end >= end);
}

function textOf(content: string | Uint8Array): string {
  return typeof content === "string" ? content : Buffer.from(content).toString("utf8");
}

function show(value: unknown): string {
  return JSON.stringify(value, (_key, each) => (typeof each === "bigint" ? String(each) : each));
}

/** Returns the content of a file, or a line with the reason why it cannot be read. */
function readOrSay(path: string): Uint8Array | string {
  try {
    return readFileSync(path);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Runs a session until the user ends it. */
export async function runSession(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  { mapping, ...options }: SessionOptions,
): Promise<void> {
  const color = useColor(output);
  const session = createSession({ ...options, color });
  const terminal = createInterface({ input, output, prompt: "> " });
  output.write("Mappings, tried on a message. :help says how, :quit leaves.\n");
  if (mapping !== "") output.write(`${await runMapping(mapping, { content: "{}" }, options, color, true)}\n`);
  // By default, readline pauses at Ctrl-C, and the session would hang.
  terminal.on("SIGINT", () => terminal.close());
  terminal.prompt();
  for await (const line of terminal) {
    const { text, state } = await session.enter(line);
    if (text !== "") output.write(`${text}\n`);
    if (state === "ended") break;
    terminal.setPrompt(state === "more" ? ". " : "> ");
    terminal.prompt();
  }
  terminal.close();
}
