// Generated from the schema by scripts/generate-options.ts. Do not edit.

import type { Text } from "../../../component/text.ts";

/**
 * Sends an event to every subscriber in the portal. A message is confirmed once the portal has stored it for all subscribers; the portal then delivers it.
 */
export interface PortalWebhookOutputOptions {
  /**
   * Type of the event; it is sent to subscribers of exactly this type.
   */
  readonly event_type: Text;
  /**
   * Address of the portal, if the gateway has no portal itself. `GW_PORTAL_TOKEN` is its access token. `/api/portal` is appended if the address does not contain it.
   */
  readonly portal_url?: string;
  /**
   * Secret for a second signature, in addition to that of each subscription: `whsec_` and base64, or any other text of at least 8 characters.
   */
  readonly secret?: string;
  /**
   * Headers that are sent to subscribers in addition to those of the signature.
   */
  readonly headers?: Readonly<Record<string, Text>>;
}
