// Creates the tokens by which Amazon MSK recognises an IAM identity. A token is the URL of a request that is signed
// and never sent (AWS Signature Version 4, query parameters), as OAUTHBEARER carries it (Amazon's aws-msk-iam-sasl-signer).

import { createHash, createHmac } from "node:crypto";
import { GatewayError } from "../../errors.ts";

/** The `aws` block of a login. */
interface AwsBlock {
  readonly region?: string;
  readonly credentials?: { readonly id?: string; readonly secret?: string; readonly token?: string };
}

/** Creates a token for one connection. */
export type TokenMaker = () => string;

/** Seconds during which a token is valid. It is created when the connection is opened. */
const lifetime = 900;

/**
 * Returns a function that creates tokens signed with these credentials. It throws a `GatewayError` if one is missing.
 */
export function mskToken({ region = "", credentials = {} }: AwsBlock): TokenMaker {
  return () => mskTokenAt(region, credentials, new Date());
}

/** Returns the token for the time `now`. */
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

/** The credentials that sign. `token` belongs to temporary credentials. */
interface AwsCredentials {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
}

/** The request to sign. */
interface Presigned {
  readonly host: string;
  /** The percent-encoded path. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly region: string;
  readonly service: string;
  readonly credentials: AwsCredentials;
  /** Seconds of validity, from `now` on. */
  readonly lifetime: number;
  readonly now: Date;
  /** The digest of the body: that of an empty body, unless the service uses a fixed word. */
  readonly payload?: string;
}

const algorithm = "AWS4-HMAC-SHA256";

/** Returns the signed `https:` URL. */
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

/** Returns the query sorted by name and percent-encoded as in RFC 3986: only letters, digits and `-._~` stay. */
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
