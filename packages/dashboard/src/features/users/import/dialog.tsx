/**
 * Imports users: the user chooses the data, maps its columns, previews the result for each row, and starts
 * the import.
 */
import { v1ProjectUsersImport } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorMessage } from '../../../components/error-message.tsx'
import type { KeptInput } from '../../../components/fields/kept-input.ts'
import { useKept, useKeptState, useUnkept } from '../../../components/fields/use-kept.ts'
import { Dialog, KeptGuard } from '../../../components/overlays/dialog.tsx'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { useShownUsers } from '../queries.ts'
import { ChooseStep } from './choose-step.tsx'
import { type Entry, entriesOf, guessMapping, type Mapping, writtenInSlices } from './mapping.ts'
import { MappingStep } from './mapping-step.tsx'
import type { Row, Sheet } from './sheet.ts'
import { DoneStep, type Verdict, VerdictStep } from './verdict-step.tsx'

/** `from` is the service that created the export. Its rows are sent unchanged. */
type Users = { readonly users: readonly (Entry | Row)[]; readonly from?: Verdict['from'] }
type Checked = Users & { readonly verdict: Verdict }
/** Number of rows to check when detecting the service. */
const TOLD_BY = 50

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = text.users
  const kept = useKept('import')
  const [pasted, setPasted] = useKeptState(kept, 'pasted', '')
  const [plan, setPlan] = useKeptState(kept, 'plan', '')
  const [sheet, setSheet] = useState<Sheet>()
  useUnkept(kept, 'sheet', sheet !== undefined)
  const [mapping, setMapping] = useState<Mapping>({})
  const { tell, check, run } = useImport(plan, kept)
  const choose = (next: Sheet) => {
    setSheet(next)
    setMapping(guessMapping(next.columns))
    tell.mutate(next, { onSuccess: (from) => from && check.mutate({ users: next.rows, from }) })
  }
  const steps = () => {
    if (sheet === undefined)
      return (
        <ChooseStep
          kept={kept}
          pasted={pasted}
          onPasted={setPasted}
          plan={plan}
          onPlan={setPlan}
          onChoose={choose}
          onClose={() => kept.discard(onClose)}
        />
      )
    if (tell.isPending) return <p role="status">{t.checking(sheet.rows.length)}</p>
    if (run.data) return <DoneStep sheet={sheet} verdict={run.data} onClose={onClose} />
    if (check.data)
      return (
        <VerdictStep
          sheet={sheet}
          verdict={check.data.verdict}
          isPending={run.isPending}
          onBack={check.reset}
          onImport={() => check.data && run.mutate(check.data)}
        />
      )
    return (
      <MappingStep
        sheet={sheet}
        mapping={mapping}
        isPending={check.isPending}
        onMapping={setMapping}
        onBack={() => setSheet(undefined)}
        onCheck={async () => check.mutate({ users: await entriesOf(sheet, mapping) })}
      />
    )
  }
  return (
    <Dialog title={t.importUsers} isWide onClose={() => kept.leave(onClose)}>
      {steps()}
      {/* The first step's form has its own guard. */}
      {sheet && <KeptGuard kept={kept} />}
      <ErrorMessage of={tell.error ?? check.error ?? run.error} />
    </Dialog>
  )
}

function useImport(plan: string, kept: KeptInput) {
  const call = useCall()
  const { id } = useProject()
  const shown = useShownUsers()
  const send = async ({ users, from }: Users, dry_run: boolean) => {
    const ofPlan = plan === '' ? {} : { plan_id: plan }
    const written = await writtenInSlices(users, { dry_run, from, ...ofPlan })
    const path = { project_id: id }
    const body = { users: [...users], dry_run }
    return (await v1ProjectUsersImport({ ...call, path, body, bodySerializer: () => written })).data
  }
  const tell = useMutation({
    mutationFn: async ({ rows }: Sheet) =>
      (await send({ users: rows.slice(0, TOLD_BY), from: 'auto' }, true)).from,
  })
  const check = useMutation({
    mutationFn: async (users: Users): Promise<Checked> => ({ ...users, verdict: await send(users, true) }),
  })
  const run = useMutation({
    mutationFn: async (users: Users) => {
      const verdict = await send(users, false)
      kept.forget()
      return verdict
    },
    onSettled: () => shown.again(),
  })
  return { tell, check, run }
}
