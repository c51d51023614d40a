/** Edits the reason and expiry of a block. */
import { isServiceError, v1BansEdit } from '@scriptward/sdk'
import { useState } from 'react'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { Dialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { expiryOf, timeOf } from '../users/edit/expiry.ts'
import { BanTerms } from './new-ban.tsx'
import { type Ban, useBan } from './queries.ts'

export function EditBan({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useBan(id)
  if (query.data) return <Form ban={query.data} onClose={onClose} />
  const isGone = isServiceError(query.error) && query.error.status === 404
  return (
    <Dialog title={text.bans.edit} onClose={onClose}>
      {isGone ? <p role="alert">{text.bans.gone}</p> : <QueryBoundary query={query}>{null}</QueryBoundary>}
    </Dialog>
  )
}

function Form({ ban, onClose }: { ban: Ban; onClose: () => void }) {
  const call = useCall()
  const project = useProject()
  // Only fields that the user changed are sent, so that other people's changes are kept.
  const [first] = useState(ban)
  const kept = useKept('block-edit', ban.id)
  const [reason, setReason] = useKeptState(kept, 'reason', first.reason ?? '')
  const before = expiryOf(first.expires)
  const [end, setEnd] = useKeptState(kept, 'end', before)
  // Compares the values of the date field, because it drops the seconds of the stored time.
  const isSame = JSON.stringify(end) === JSON.stringify(before)
  const expires = timeOf(end)
  const save = useChange(async () => {
    const isSameReason = reason.trim() === (first.reason ?? '')
    const body = {
      ...(!isSameReason && { reason: reason.trim() }),
      ...(!isSame && { expires: expires ?? 0 }),
    }
    const path = { project_id: project.id, ban_id: ban.id }
    if (Object.keys(body).length > 0) await v1BansEdit({ ...call, path, body })
    kept.forget(onClose)
  })
  const errors = useFormErrors(save.error)
  const isTimely = isSame || expires !== undefined
  return (
    <FormDialog
      kept={kept}
      title={text.bans.editTitle(ban.value)}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => {
        if (errors.check({ end: isTimely ? undefined : text.users.noTime })) save.mutate(undefined)
      }}
    >
      <BanTerms reason={reason} onReason={setReason} end={end} onEnd={setEnd} errorOf={errors.of} />
    </FormDialog>
  )
}
