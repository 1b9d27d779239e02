// The list of APIs with the activity of their streams.

import { useFetched } from "../kit/fetched.tsx";
import { rateText } from "../kit/numbers.ts";
import { Badge, Empty, Heading, Time } from "../kit/parts.tsx";
import { linkTo } from "../kit/router.ts";
import { Table } from "../kit/table.tsx";
import { askServiceFor } from "./service.ts";
import { countOf, type Measured, rateOf, readStreams, statesOf, toneOfState } from "./streams.ts";

interface ListedApi {
  readonly api_id: string;
  readonly name: string;
  readonly active: boolean;
  readonly proxy: { readonly listen_path: string };
  readonly version: number;
  readonly updated_at: string;
}

interface Row {
  readonly api: ListedApi;
  readonly streams: readonly Measured[];
}

/** Milliseconds between two requests for the activity of streams. */
export const interval = 2_000;

async function readApis(): Promise<readonly Row[]> {
  const [{ apis }, streams] = await Promise.all([
    askServiceFor<{ apis: readonly { api_definition: ListedApi }[] }>("GET", "/apis/streams?p=-1&sort=name"),
    readStreams(),
  ]);
  const byApi = Map.groupBy(streams, ({ api_id: id }) => id);
  return apis.map(({ api_definition: api }) => ({ api, streams: byApi.get(api.api_id) ?? [] }));
}

/** Lists all APIs. */
export function ApiList() {
  const apis = useFetched(readApis, { every: interval });
  const create = (
    <a class="button main" href="#/new">
      New API
    </a>
  );
  const nameOf = ({ api }: Row) => api.name || api.api_id;
  return (
    <>
      <Heading title="Streaming APIs" tools={create}>
        Definitions that the gateways run. A saved change goes live in seconds.
      </Heading>
      <Table
        id="api-table"
        title="APIs"
        rows={apis.answer}
        fetched={apis}
        keyOf={({ api }) => api.api_id}
        textOf={(row) => `${nameOf(row)} ${row.api.proxy.listen_path}`}
        columns={[
          {
            title: "Name",
            sort: nameOf,
            cell: (row) => <a href={linkTo("api", row.api.api_id)}>{nameOf(row)}</a>,
          },
          {
            title: "Listen path",
            sort: ({ api }) => api.proxy.listen_path,
            cell: ({ api }) => <code>{api.proxy.listen_path}</code>,
          },
          { title: "Streams", cell: (row) => <States row={row} /> },
          {
            title: "In/s",
            isNumber: true,
            sort: ({ streams }) => rateOf(streams, "received") ?? -1,
            cell: ({ streams }) => rateText(rateOf(streams, "received")),
          },
          {
            title: "Out/s",
            isNumber: true,
            sort: ({ streams }) => rateOf(streams, "written") ?? -1,
            cell: ({ streams }) => rateText(rateOf(streams, "written")),
          },
          {
            title: "Failed",
            isNumber: true,
            sort: ({ streams }) => countOf(streams, "failed"),
            cell: ({ streams }) => countOf(streams, "failed").toLocaleString(),
          },
          {
            title: "Version",
            isNumber: true,
            sort: ({ api }) => api.version,
            cell: ({ api }) => api.version,
          },
          {
            title: "Changed",
            sort: ({ api }) => api.updated_at,
            cell: ({ api }) => <Time at={api.updated_at} />,
          },
        ]}
        empty={
          <Empty title="No APIs yet" next={create}>
            Begin with a small definition that works, and change it.
          </Empty>
        }
      />
    </>
  );
}

function States({ row: { api, streams } }: { readonly row: Row }) {
  if (!api.active) return <Badge tone="plain">switched off</Badge>;
  return (
    <div class="acts">
      {statesOf(streams).map(([state, count]) => (
        <Badge key={state} tone={toneOfState(state)}>
          {count} {state}
        </Badge>
      ))}
    </div>
  );
}
