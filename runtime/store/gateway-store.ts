// The store of a gateway, as emitted code names it.

import type { Environment } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import { parseStoreAddress } from "./address.ts";
import { openStore, type Store } from "./store.ts";

/** A store whose address is known, and that is not open yet. */
export interface StoreSource {
  /** Called once, before the gateway listens; rejects with a `GatewayError` where it cannot be used. */
  open(log: Logger): Promise<Store>;
}

/** The store at `GW_STORE_URL`, or else at `written`. Throws an `EnvironmentError` for what is not an address of one. */
export function gatewayStore(env: Environment, written?: string): StoreSource {
  const text = env.text("GW_STORE_URL", written);
  // Without a text the environment has noted that, and fails as a whole.
  const address = text === "" ? undefined : parseStoreAddress(text);
  return {
    async open(log) {
      if (address === undefined) throw new TypeError("a store without an address is not opened");
      return openStore(address, log);
    },
  };
}
