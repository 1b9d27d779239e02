// The state of the page, and the link that contains it in its fragment, which browsers do not send to servers.

import type { PlacedFile, WrittenMessage } from "../../playground/worker/protocol.ts";

/** The content of a link. */
export interface PlayState {
  /** The path of the text, below `/play/`. Paths of mappings end in `.blobl`. */
  readonly path: string;
  readonly text: string;
  readonly messages: readonly WrittenMessage[];
  readonly isBatch: boolean;
  /** `NAME=value`, one per line. */
  readonly environment: string;
  /** The name of the stream that is shown. */
  readonly stream?: string;
  /** Files that the text reads. */
  readonly files: readonly PlacedFile[];
}

const lead = "#play=";

/** Maximum size of an unpacked state in bytes: a small link could contain gigabytes. */
const largest = 16 * 1024 * 1024;

/** Returns the fragment for a state. */
export async function fragmentOf(state: PlayState): Promise<string> {
  const packed = await through(
    new CompressionStream("deflate-raw"),
    new TextEncoder().encode(JSON.stringify(state)),
  );
  const text = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return lead + btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Returns the state in a fragment; `undefined` if the fragment is of another kind. Throws if it is damaged. */
export async function stateIn(fragment: string): Promise<PlayState | undefined> {
  if (!fragment.startsWith(lead)) return undefined;
  const text = atob(fragment.slice(lead.length).replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const found: unknown = JSON.parse(
    new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)),
  );
  if (!isState(found)) throw new TypeError("The link contains something else.");
  return found;
}

/** Whether a value is a valid state. Links may come from any source. */
function isState(value: unknown): value is PlayState {
  if (typeof value !== "object" || value === null) return false;
  const { path, text, messages, isBatch, environment, stream, files } = value as Record<string, unknown>;
  return (
    [path, text, environment].every((each) => typeof each === "string") &&
    String(path).startsWith("/play/") &&
    typeof isBatch === "boolean" &&
    (stream === undefined || typeof stream === "string") &&
    Array.isArray(messages) &&
    messages.every(({ content, metadata }) => typeof content === "string" && isTexts(metadata)) &&
    Array.isArray(files) &&
    files.every((file) => typeof file.path === "string" && typeof file.text === "string")
  );
}

function isTexts(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    Object.values(value).every((each) => typeof each === "string")
  );
}

async function through(stream: CompressionStream | DecompressionStream, bytes: Uint8Array<ArrayBuffer>) {
  let length = 0;
  const bounded = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > largest) controller.error(new RangeError(`A link contains at most ${largest} bytes.`));
      else controller.enqueue(chunk);
    },
  });
  const piped = new Blob([bytes]).stream().pipeThrough(stream).pipeThrough(bounded);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** Whether the text at a path is a single mapping. */
export function isMapping(path: string): boolean {
  return /\.blobl(?:ang)?$/.test(path);
}

const order = '{ "id": "a1", "quantity": 3, "unit_price": "19.90", "note": "" }';

/** The initial state of the page. */
export const firstMapping: PlayState = {
  path: "/play/mapping.blobl",
  text: `# The order that comes in is \`this\`, what goes out is \`root\`.
root = this.without("note")
root.total = this.quantity * this.unit_price.number()
root.note = if this.note.not_empty().catch(false) { this.note } else { deleted() }
meta key = this.id
`,
  messages: [
    { content: order, metadata: { topic: "orders" } },
    { content: '{ "id": "b2", "quantity": 1 }', metadata: {} },
  ],
  isBatch: false,
  environment: "",
  files: [],
};

/** The initial document, for switching from a mapping. */
export const firstDocument: PlayState = {
  ...firstMapping,
  path: "/play/orders.yaml",
  text: `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
paths: {}
components:
  schemas:
    Order:
      type: object
      required: [id, quantity, unit_price]
      properties:
        id: { type: string }
        quantity: { type: integer }
        unit_price: { type: string }
x-gw-streaming:
  streams:
    priced:
      input:
        schema: { $ref: "#/components/schemas/Order" }
        kafka: { addresses: ["localhost:9092"], topics: [orders], consumer_group: pricing }
      pipeline:
        processors:
          - mapping: |
              root = this
              root.total = this.quantity * this.unit_price.number()
          - mapping: |
              root = if this.total <= 50 { deleted() }
          - catch:
              - log: { level: WARN, message: "an order has no price" }
              - mapping: root = deleted()
      output:
        http_server: { stream_path: /priced }
`,
};

/** Parses variables, one `NAME=value` per line. */
export function variablesOf(text: string): Record<string, string> {
  const pairs = text.split("\n").flatMap((line) => {
    const [, name = "", value = ""] = /^\s*([A-Za-z_]\w*)=(.*)$/.exec(line) ?? [];
    return name === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(pairs);
}

/** Parses metadata, one `key: value` per line. */
export function metadataOf(text: string): Record<string, string> {
  const pairs = text.split("\n").flatMap((line) => {
    const at = line.indexOf(":");
    const key = line.slice(0, at).trim();
    return at < 0 || key === "" ? [] : [[key, line.slice(at + 1).trim()] as const];
  });
  return Object.fromEntries(pairs);
}
