// The store of a gateway, as emitted code creates it.

import { type Environment, EnvironmentError } from "../process/environment.ts";
import type { Logger } from "../process/log.ts";
import { readStoreAddress } from "./address.ts";
import { openStore, type Store } from "./store.ts";

/** A configured store that is not open yet. */
export interface StoreSource {
  /** Called once, before the gateway listens. Rejects with a `GatewayError` if the store cannot be used. */
  open(log: Logger): Promise<Store>;
}

/** Returns the store at `GW_STORE_URL`, otherwise at `written`. */
export function gatewayStore(env: Environment, written?: string): StoreSource {
  const address = readStoreAddress(env, written);
  return {
    async open(log) {
      if (address === undefined)
        throw new EnvironmentError(["`store` is empty, and GW_STORE_URL is not set"]);
      return openStore(address, log);
    },
  };
}
