// The audit log.

import type { Change } from "../../management/generated/change.ts";
import { usePaged } from "../kit/paged.ts";
import { Empty, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { askPage } from "./service.ts";

/** Shows what was changed, and by which user. */
export function AuditView() {
  const changes = usePaged("audit", askPage<Change>("/audit", 200));
  return (
    <>
      <Heading title="Audit log">Every change in the organisation, the newest first.</Heading>
      <Table
        id="audit"
        title="Changes"
        rows={changes.answer?.Data}
        fetched={changes}
        pages={changes.pages}
        keyOf={({ number }) => String(number)}
        textOf={({ actor, action, object, detail }) => `${actor} ${action} ${object} ${detail ?? ""}`}
        columns={[
          { title: "When", sort: ({ number }) => number, cell: ({ at }) => <Time at={at} isExact /> },
          { title: "Who", sort: ({ actor }) => actor, cell: ({ actor }) => actor },
          { title: "What", sort: ({ action }) => action, cell: ({ action }) => action },
          { title: "Of", sort: ({ object }) => object, cell: ({ object }) => object },
          { title: "More", cell: ({ detail }) => detail },
        ]}
        empty={<Empty title="No changes yet" />}
      />
    </>
  );
}
