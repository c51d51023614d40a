/** Import of users: a file or a pasted text, which column is what, what the service would say of each row, then the import. */
import { v1ProjectUsersImport } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall } from '../../../api.ts'
import { Complaint } from '../../../parts/complaint.tsx'
import { Dialog } from '../../../parts/dialog.tsx'
import { useProject } from '../../../projects.ts'
import { text } from '../../../text/text.ts'
import { useShownUsers } from '../lists.ts'
import { ChooseStep } from './choose-step.tsx'
import { type Entry, entriesOf, guessMapping, type Mapping, writtenInSlices } from './mapping.ts'
import { MappingStep } from './mapping-step.tsx'
import type { Sheet } from './sheet.ts'
import { DoneStep, type Verdict, VerdictStep } from './verdict-step.tsx'

type Checked = { readonly entries: readonly Entry[]; readonly verdict: Verdict }

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const t = text.users
  const [sheet, setSheet] = useState<Sheet>()
  const [mapping, setMapping] = useState<Mapping>({})
  const { check, run } = useImport()
  const choose = (next: Sheet) => {
    setSheet(next)
    setMapping(guessMapping(next.columns))
  }
  const steps = () => {
    if (sheet === undefined) return <ChooseStep onChoose={choose} onClose={onClose} />
    if (run.data) return <DoneStep sheet={sheet} verdict={run.data} onClose={onClose} />
    if (check.data)
      return (
        <VerdictStep
          sheet={sheet}
          verdict={check.data.verdict}
          isPending={run.isPending}
          onBack={check.reset}
          onImport={() => check.data && run.mutate(check.data.entries)}
        />
      )
    return (
      <MappingStep
        sheet={sheet}
        mapping={mapping}
        isPending={check.isPending}
        onMapping={setMapping}
        onBack={() => setSheet(undefined)}
        onCheck={() => check.mutate({ sheet, mapping })}
      />
    )
  }
  return (
    <Dialog title={t.importUsers} isWide onClose={onClose}>
      {steps()}
      <Complaint of={check.error ?? run.error} />
    </Dialog>
  )
}

function useImport() {
  const call = useCall()
  const { id } = useProject()
  const shown = useShownUsers()
  const send = async (users: readonly Entry[], dry_run: boolean) => {
    const body = { users: [...users], ...(dry_run && { dry_run }) }
    const written = await writtenInSlices(users, dry_run)
    const path = { project_id: id }
    return (await v1ProjectUsersImport({ ...call, path, body, bodySerializer: () => written })).data
  }
  const check = useMutation({
    mutationFn: async ({ sheet, mapping }: { sheet: Sheet; mapping: Mapping }): Promise<Checked> => {
      const entries = await entriesOf(sheet, mapping)
      return { entries, verdict: await send(entries, true) }
    },
  })
  const run = useMutation({
    mutationFn: (entries: readonly Entry[]) => send(entries, false),
    onSettled: () => shown.again(),
  })
  return { check, run }
}
