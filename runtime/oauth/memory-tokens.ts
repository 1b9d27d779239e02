// Stores tokens in the memory of this process. They end with the process.

import type { Grant, KeptToken, TokenStore } from "./tokens.ts";

/** The maximum number of tokens of all clients together. */
const mostKept = 100_000;

interface Refresh {
  readonly grant: Grant;
  isSpent: boolean;
}

/** The hashes of a client's tokens. */
interface Owned {
  readonly access: Set<string>;
  readonly refresh: Set<string>;
}

export interface MemoryTokensOptions {
  readonly most?: number;
  /** Returns the current time in Unix milliseconds. */
  readonly now?: () => number;
}

/** Creates a token store. When it is full, no tokens are issued: a valid token is never evicted. */
export function memoryTokens({ most = mostKept, now = Date.now }: MemoryTokensOptions = {}): TokenStore {
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Refresh>();
  const byClient = new Map<string, Owned>();
  const listeners = new Set<() => void>();

  function notifyRevoked(): void {
    for (const listener of listeners) listener();
  }

  function ownedBy(client: string): Owned {
    const owned = byClient.get(client) ?? { access: new Set(), refresh: new Set() };
    byClient.set(client, owned);
    return owned;
  }

  function dropIfEmpty(client: string, owned: Owned): void {
    if (owned.access.size + owned.refresh.size === 0) byClient.delete(client);
  }

  function forgetAccess(hash: string, { client }: Grant): void {
    const owned = ownedBy(client);
    access.delete(hash);
    owned.access.delete(hash);
    dropIfEmpty(client, owned);
  }

  function forgetRefresh(hash: string, { client }: Grant): void {
    const owned = ownedBy(client);
    refresh.delete(hash);
    owned.refresh.delete(hash);
    dropIfEmpty(client, owned);
  }

  function forgetExpired(): void {
    for (const [hash, grant] of access) if (grant.expires <= now()) forgetAccess(hash, grant);
    for (const [hash, { grant }] of refresh) if (grant.expires <= now()) forgetRefresh(hash, grant);
  }

  /** Removes the access tokens of a client that satisfy `condition`. */
  function forgetAccessOf(client: string, condition: (grant: Grant) => boolean): void {
    for (const hash of byClient.get(client)?.access ?? []) {
      const grant = access.get(hash);
      if (grant !== undefined && condition(grant)) forgetAccess(hash, grant);
    }
  }

  function countOf(client: string): number {
    forgetAccessOf(client, ({ expires }) => expires <= now());
    return byClient.get(client)?.access.size ?? 0;
  }

  function keep(token: KeptToken, refreshToken: KeptToken | undefined): void {
    const owned = ownedBy(token.grant.client);
    access.set(token.hash, token.grant);
    owned.access.add(token.hash);
    if (refreshToken === undefined) return;
    refresh.set(refreshToken.hash, { grant: refreshToken.grant, isSpent: false });
    owned.refresh.add(refreshToken.hash);
  }

  return {
    async keepCode({ hash, grant }) {
      if (access.size + refresh.size >= most) forgetExpired();
      if (access.size + refresh.size >= most) return "full";
      refresh.set(hash, { grant, isSpent: false });
      ownedBy(grant.client).refresh.add(hash);
      return "kept";
    },
    async issue(token, refreshToken, mostOfClient) {
      if (mostOfClient !== undefined && countOf(token.grant.client) >= mostOfClient) return "limit";
      if (access.size + refresh.size >= most) forgetExpired();
      if (access.size + refresh.size >= most) return "full";
      keep(token, refreshToken);
      return "kept";
    },
    async findAccess(hash) {
      const grant = access.get(hash);
      return grant !== undefined && grant.expires > now() ? grant : undefined;
    },
    async findRefresh(hash) {
      const kept = refresh.get(hash);
      return kept !== undefined && !kept.isSpent && kept.grant.expires > now() ? kept.grant : undefined;
    },
    async takeRefresh(hash) {
      const kept = refresh.get(hash);
      if (kept === undefined || kept.grant.expires <= now()) return undefined;
      const wasSpent = kept.isSpent;
      // The token stays until it expires, so that a second use is detected.
      kept.isSpent = true;
      const { client, family } = kept.grant;
      if (!wasSpent) forgetAccessOf(client, (grant) => grant.family === family);
      notifyRevoked();
      return { grant: kept.grant, wasSpent };
    },
    async revokeAccess(hash) {
      const grant = access.get(hash);
      if (grant !== undefined) forgetAccess(hash, grant);
      notifyRevoked();
    },
    async revokeFamily(client, family) {
      forgetAccessOf(client, (grant) => grant.family === family);
      for (const hash of byClient.get(client)?.refresh ?? []) {
        const kept = refresh.get(hash);
        if (kept?.grant.family === family) forgetRefresh(hash, kept.grant);
      }
      notifyRevoked();
    },
    onRevoked(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
