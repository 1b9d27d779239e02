// The list of APIs, with what their streams do.

import { byId, element } from "../kit/elements.ts";
import { type Cell, fill } from "../kit/tables.ts";
import { askServiceFor } from "./ask.ts";
import { countOf, type Measured, rateOf, readStreams, statesOf } from "./streams.ts";

interface ListedApi {
  readonly api_id: string;
  readonly name: string;
  readonly active: boolean;
  readonly proxy: { readonly listen_path: string };
  readonly version: number;
  readonly updated_at: string;
}

/** Shows the APIs as they are now. */
export async function showApis(): Promise<void> {
  const search = byId<HTMLInputElement>("search").value.trim();
  const query = new URLSearchParams({ p: "-1", sort: "name", ...(search !== "" && { q: search }) });
  const [{ apis }, streams] = await Promise.all([
    askServiceFor<{ apis: readonly { api_definition: ListedApi }[] }>("GET", `/apis/streams?${query}`),
    readStreams(),
  ]);
  const byApi = Map.groupBy(streams, ({ api_id: id }) => id);
  const rows = apis.map(({ api_definition: api }): [string, readonly Cell[]] => {
    return [api.api_id, cellsOf(api, byApi.get(api.api_id) ?? [])];
  });
  fill(byId<HTMLTableElement>("api-table"), new Map(rows));
}

function cellsOf(api: ListedApi, streams: readonly Measured[]): readonly Cell[] {
  const link = element("a", api.name || api.api_id);
  link.href = `#api/${encodeURIComponent(api.api_id)}`;
  const number = (text: string): Cell => ({ inside: [text], className: "number" });
  return [
    { inside: [link] },
    { inside: [api.proxy.listen_path] },
    api.active ? statesOf(streams) : { inside: ["switched off"] },
    number(rateOf(streams, "received")),
    number(rateOf(streams, "written")),
    number(countOf(streams, "failed")),
    number(String(api.version)),
    { inside: [new Date(api.updated_at).toLocaleString()] },
  ];
}
