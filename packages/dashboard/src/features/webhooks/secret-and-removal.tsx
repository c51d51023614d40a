/** Rotates an endpoint's secret, or removes a custom endpoint. */
import { useState } from 'react'
import { OverlapField } from '../../components/fields/overlap-field.tsx'
import { ConfirmDialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { text } from '../../messages/text.ts'
import { useRemoveWebhook, useRotateSecret, type Webhook } from './queries.ts'

const t = webhooksText
const OVERLAP_MS = 3_600_000

type Props = { readonly webhook: Webhook; readonly onClose: () => void }

export function NewSecret({ webhook, name, onClose }: Props & { readonly name: string }) {
  const [overlap, setOverlap] = useState(OVERLAP_MS)
  const rotate = useRotateSecret(webhook.id)
  const showToast = useToast()
  const done = () => {
    showToast({ title: t.rotated })
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

export function RemoveCustom({ webhook, onClose }: Props) {
  const remove = useRemoveWebhook(webhook.id)
  const showToast = useToast()
  const confirm = async () => {
    await remove.mutateAsync(undefined)
    showToast({ title: t.removed })
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
