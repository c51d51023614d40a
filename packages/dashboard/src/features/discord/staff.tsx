/** Shows which Discord roles grant the permissions of which Scriptward role. */
import { Empty } from '../../components/empty.tsx'
import { Panel } from '../../components/panel.tsx'
import { PlainTable } from '../../components/table/plain-table.tsx'
import { useRefusal } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { type Bot, WRITE } from './queries.ts'
import { StaffForm } from './staff-form.tsx'

const t = text.discord

export function StaffPanel({ bot }: { bot: Bot }) {
  const refusal = useRefusal(WRITE)
  return (
    <Panel title={t.staff} hint={t.staffHint}>
      {refusal !== undefined ? (
        <ReadOnly staff={bot.staff} reason={refusal} />
      ) : bot.server === null ? (
        <p className="hint">{t.staffNeedsServer}</p>
      ) : (
        <StaffForm bot={bot} />
      )}
    </Panel>
  )
}

/** Reading role names from Discord requires permission to change the staff list. */
function ReadOnly({ staff, reason }: { readonly staff: Bot['staff']; readonly reason: string }) {
  if (staff.length === 0) return <Empty title={t.noStaff} hint={reason} />
  return (
    <>
      <PlainTable
        label={t.staff}
        titles={[t.discordRole, t.ownRole]}
        rows={staff.map(({ chat_role_id, role }) => ({
          id: chat_role_id,
          name: <code>{chat_role_id}</code>,
          cells: [text.roleNames[role] ?? role],
        }))}
      />
      <p className="hint">{reason}</p>
    </>
  )
}
