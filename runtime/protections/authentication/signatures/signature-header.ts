// The credential of a signed request: `Signature keyId="…",algorithm="…",headers="…",signature="…"`
// (draft-cavage-http-signatures, section 4.1).

/** A signature with what it is over. */
export interface RequestSignature {
  readonly keyId: string;
  /** In lower case. */
  readonly algorithm: string;
  /** Names of what was signed, in order and in lower case. */
  readonly covered: readonly string[];
  readonly signature: Buffer;
}

const parameter = /\s*([a-zA-Z]+)="([^"\\]*)"\s*(,|$)/y;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What the text says after `Signature `; `undefined` where it is incomplete, unclear or says something twice. */
export function parseSignature(text: string): RequestSignature | undefined {
  const parameters = readParameters(text);
  const keyId = parameters?.get("keyId");
  const algorithm = parameters?.get("algorithm")?.toLowerCase();
  const signature = decode(parameters?.get("signature") ?? "");
  const covered = (parameters?.get("headers") ?? "date").toLowerCase().split(" ");
  const isClear = covered.every((name) => name !== "") && new Set(covered).size === covered.length;
  if (!keyId || algorithm === undefined || signature === undefined || !isClear) return undefined;
  return { keyId, algorithm, covered, signature };
}

function readParameters(text: string): ReadonlyMap<string, string> | undefined {
  const found = new Map<string, string>();
  for (parameter.lastIndex = 0; parameter.lastIndex < text.length; ) {
    const [, name, value, end] = parameter.exec(text) ?? [];
    if (name === undefined || value === undefined || found.has(name)) return undefined;
    found.set(name, value);
    if (end === "") break;
  }
  return found;
}

/** Some clients escape the signature as part of an address. */
function decode(text: string): Buffer | undefined {
  const plain = text.replaceAll(/%2b|%2f|%3d/gi, (escaped) => decodeURIComponent(escaped));
  return base64.test(plain) && plain.length % 4 === 0 ? Buffer.from(plain, "base64") : undefined;
}
