// What was changed through the portal, as administrators see it.

import type { AuditEntry } from "../../runtime/portal/audit.ts";
import { usePaged } from "../kit/paged.ts";
import { Empty, Heading, Time } from "../kit/parts.tsx";
import { Table } from "../kit/table.tsx";
import { askPortal, type Listed } from "./interface.ts";
import { t } from "./messages.ts";

/** Every change, the newest first. */
export function AuditLogView() {
  const changes = usePaged("audit", (page) =>
    askPortal<Listed<AuditEntry>>("GET", `/audit?p=${page}&page_size=50`),
  );
  return (
    <>
      <Heading title={t("nav.audit")}>{t("audit.text")}</Heading>
      <Table
        id="audit"
        title={t("audit.changes")}
        rows={changes.answer?.Data}
        asked={changes}
        pages={changes.pages}
        keyOf={({ id }) => id}
        textOf={({ actor, action, object }) => `${actor} ${action} ${object}`}
        columns={[
          { title: t("audit.when"), cell: ({ date_created: at }) => <Time at={at} /> },
          { title: t("audit.who"), cell: ({ actor }) => actor },
          { title: t("audit.what"), cell: ({ action }) => <code>{action}</code> },
          { title: t("audit.of"), cell: ({ object }) => <code>{object}</code> },
        ]}
        empty={<Empty title={t("audit.none")} />}
      />
    </>
  );
}
