// Requests of a developer who has logged in; the browser sends the session's cookie along.

import { askFor } from "../kit/requests.ts";

/** What a list is answered with. */
export interface Listed<T> {
  readonly Data: readonly T[];
}

/** What a write is answered with; `Meta` is a credential where one was made. */
export interface Written {
  readonly Message: string;
  readonly Meta: Readonly<Record<string, string>> | null;
}

/** Sends a request about what is the developer's own. */
export function askOwn<T>(method: string, path: string, body?: object): Promise<T> {
  return askFor<T>(method, `own${path}`, body && { body: JSON.stringify(body) });
}
