// The store of a gateway, as emitted code creates it.

import type { Environment } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import { parseStoreAddress } from "./address.ts";
import { openStore, type Store } from "./store.ts";

/** A configured store that is not open yet. */
export interface StoreSource {
  /** Called once, before the gateway listens. Rejects with a `GatewayError` if the store cannot be used. */
  open(log: Logger): Promise<Store>;
}

/** Returns the store at `GW_STORE_URL`, otherwise at `written`. Throws an `EnvironmentError` if it is not valid. */
export function gatewayStore(env: Environment, written?: string): StoreSource {
  const text = env.text("GW_STORE_URL", written);
  // If there is no address, the environment has recorded the problem and will throw it.
  const address = text === "" ? undefined : parseStoreAddress(text);
  return {
    async open(log) {
      if (address === undefined) throw new TypeError("a store without an address is not opened");
      return openStore(address, log);
    },
  };
}
