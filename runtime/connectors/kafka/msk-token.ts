// Tokens by which Amazon MSK recognises an IAM identity: addresses of a request that is signed and never sent, as
// OAUTHBEARER carries them (aws-msk-iam-sasl-signer of Amazon).

import { GatewayError } from "../../errors.ts";
import { type AwsCredentials, presign } from "./presign.ts";

/** The `aws` block of a login. */
export interface AwsBlock {
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
  if (!/^[a-z0-9-]{1,63}$/.test(region)) throw new GatewayError(500, "`aws.region` is no region of Amazon");
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
