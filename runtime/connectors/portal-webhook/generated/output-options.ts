// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Tells every subscriber of an event in the portal. A message is confirmed once the portal has stored it for all of them; the portal then delivers it.
 */
export interface PortalWebhookOutputOptions {
  /**
   * Type of the event; it is sent to subscribers of exactly this type.
   */
  readonly event_type: Text;
  /**
   * Address of the portal, where the gateway has none itself; `GW_PORTAL_TOKEN` is its access token. `/api/portal` is added where it is not there.
   */
  readonly portal_url?: string;
  /**
   * Signs beside the secret of each subscription, as a second signature: `whsec_` and base64, or any other text of 8 characters at least.
   */
  readonly secret?: string;
  /**
   * Headers that subscribers get besides those of the signature.
   */
  readonly headers?: Readonly<Record<string, Text>>;
}
