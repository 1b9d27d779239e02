// Tokens by which Amazon MSK recognises an IAM identity: addresses of a request that is signed and never sent, as
// OAUTHBEARER carries them (aws-msk-iam-sasl-signer of Amazon).

import { createHash, createHmac } from "node:crypto";
import { GatewayError } from "../../errors.ts";

/** The `aws` block of a login. */
interface AwsBlock {
  readonly region?: string;
  readonly credentials?: { readonly id?: string; readonly secret?: string; readonly token?: string };
}

/** Makes a token for one connection. */
export type TokenMaker = () => string;

/** Seconds in which a broker has to see the token; it is made as the connection is. */
const lifetime = 900;

/** Makes tokens that name the credentials, and are signed by their secret. Throws a `GatewayError` where one is missing. */
export function mskToken({ region = "", credentials = {} }: AwsBlock): TokenMaker {
  return () => mskTokenAt(region, credentials, new Date());
}

/** The token of that time. */
export function mskTokenAt(
  region: string,
  { id = "", secret = "", token = "" }: NonNullable<AwsBlock["credentials"]>,
  now: Date,
): string {
  if (!/^[a-z0-9-]{1,63}$/.test(region)) throw new GatewayError(500, "`aws.region` is not an AWS region");
  if (id === "" || secret === "") throw new GatewayError(500, "`aws.credentials` needs `id` and `secret`");
  const credentials: AwsCredentials = { id, secret, token };
  const address = presign({
    host: `kafka.${region}.amazonaws.com`,
    path: "/",
    query: { Action: "kafka-cluster:Connect" },
    region,
    service: "kafka-cluster",
    credentials,
    lifetime,
    now,
  });
  return Buffer.from(`${address}&User-Agent=sluice`).toString("base64url");
}

/** Who signs. `token` goes with credentials that end. */
interface AwsCredentials {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
}

/** What is signed. */
interface Presigned {
  readonly host: string;
  /** As it is in the address: percent-encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly region: string;
  readonly service: string;
  readonly credentials: AwsCredentials;
  /** Seconds from `now` on. */
  readonly lifetime: number;
  readonly now: Date;
  /** What stands for the body: the digest of an empty one unless the service has a word of its own. */
  readonly payload?: string;
}

const algorithm = "AWS4-HMAC-SHA256";

/** The signed address, as `https:`. */
export function presign(request: Presigned): string {
  const { host, path, region, service, credentials, now } = request;
  const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
  const date = time.slice(0, 8);
  const scope = `${date}/${region}/${service}/aws4_request`;
  const query = canonicalQuery({
    ...request.query,
    "X-Amz-Algorithm": algorithm,
    "X-Amz-Credential": `${credentials.id}/${scope}`,
    "X-Amz-Date": time,
    "X-Amz-Expires": String(request.lifetime),
    "X-Amz-SignedHeaders": "host",
    ...(credentials.token && { "X-Amz-Security-Token": credentials.token }),
  });
  const { payload = digest("") } = request;
  const canonical = ["GET", path, query, `host:${host}`, "", "host", payload].join("\n");
  const toSign = [algorithm, time, scope, digest(canonical)].join("\n");
  const parts = [date, region, service, "aws4_request"];
  const key = parts.reduce<Buffer | string>(hmac, `AWS4${credentials.secret}`);
  return `https://${host}${path}?${query}&X-Amz-Signature=${hmac(key, toSign).toString("hex")}`;
}

/** Sorted by name, and encoded as RFC 3986 leaves it: only letters, digits and `-._~` stay. */
function canonicalQuery(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  return pairs.toSorted((a, b) => (a < b ? -1 : 1)).join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
