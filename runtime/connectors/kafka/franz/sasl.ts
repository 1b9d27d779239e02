import { GatewayError } from "../../../errors.ts";
import type { Sasl } from "../sasl.ts";
import type { KafkaSaslMethod } from "./generated/input-options.ts";

/** The one method of a list, in the spelling of `kafka`; `undefined` for an empty one. */
export function saslMethod(methods: readonly KafkaSaslMethod[]): Sasl | undefined {
  const [method, ...others] = methods;
  if (method === undefined) return undefined;
  if (others.length > 0) throw new GatewayError(500, "`sasl` takes one method");
  const { mechanism, username: user = "", password = "", token: access_token = "", extensions = {} } = method;
  const { oauth2 = {}, aws } = method;
  return { mechanism, user, password, access_token, extensions, oauth2, aws };
}
