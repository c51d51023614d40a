/** Gives an address another secret, or takes an additional one away. */
import { useState } from 'react'
import { ConfirmDialog, FormDialog } from '../../parts/dialog.tsx'
import { OverlapField } from '../../parts/overlap-field.tsx'
import { useSay } from '../../parts/toasts.tsx'
import { text } from '../../text/text.ts'
import { useRemoveWebhook, useRotateSecret, type Webhook } from './queries.ts'

const t = text.webhooks
const OVERLAP_MS = 3_600_000

type Given = { readonly webhook: Webhook; readonly onClose: () => void }

export function NewSecret({ webhook, name, onClose }: Given & { readonly name: string }) {
  const [overlap, setOverlap] = useState(OVERLAP_MS)
  const rotate = useRotateSecret(webhook.id)
  const say = useSay()
  const done = () => {
    say({ title: t.rotated })
    onClose()
  }
  return (
    <FormDialog
      title={t.rotateTitle(name)}
      submit={t.rotateNow}
      isPending={rotate.isPending}
      error={rotate.error}
      onClose={onClose}
      onSubmit={() => rotate.mutate(overlap, { onSuccess: done })}
    >
      <p>{t.rotateText}</p>
      <OverlapField value={overlap} onChange={setOverlap} />
    </FormDialog>
  )
}

export function RemoveAdditional({ webhook, onClose }: Given) {
  const remove = useRemoveWebhook(webhook.id)
  const say = useSay()
  const confirm = async () => {
    await remove.mutateAsync(undefined)
    say({ title: t.removed })
  }
  return (
    <ConfirmDialog
      title={t.removeMoreTitle(webhook.name ?? '')}
      words={t.removeWords(webhook.waiting)}
      submit={text.remove}
      onConfirm={confirm}
      onClose={onClose}
    />
  )
}
