/** Replays all events since a given time to an endpoint. */
import { Check } from '../../components/fields/choice-group.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { webhooksText } from '../../messages/en/webhooks.ts'
import { useRecover, type Webhook } from './queries.ts'

const t = webhooksText
const HOUR_MS = 3_600_000
const AT = 'at'
const LENGTHS = [1, 6, 24, 24 * 7, 24 * 30] as const

type Props = { readonly webhook: Webhook; readonly name: string; readonly onClose: () => void }

export function RecoverDialog({ webhook, name, onClose }: Props) {
  const kept = useKept('webhook-replay', webhook.id)
  const [chosen, setChosen] = useKeptState(kept, 'since', '24')
  const [date, setDate] = useKeptState(kept, 'date', '')
  const [isUndelivered, setIsUndelivered] = useKeptState(kept, 'undelivered', false)
  const showToast = useToast()
  const recover = useRecover(webhook.id, ({ recovered, left_out }) => {
    showToast({ title: left_out === 0 ? t.recovered(recovered) : t.recoveredSome(recovered, left_out) })
    kept.forget()
  })
  const errors = useFormErrors(recover.error)
  const submit = () => {
    const since = chosen === AT ? new Date(date).getTime() : Date.now() - Number(chosen) * HOUR_MS
    if (!errors.check({ since: Number.isNaN(since) ? t.sinceMissing : undefined })) return
    recover.mutate({ since: Math.max(0, since), undelivered_only: isUndelivered }, { onSuccess: onClose })
  }
  return (
    <FormDialog
      kept={kept}
      title={t.recoverTitle(name)}
      submit={t.recoverNow}
      isPending={recover.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <p>{t.recoverText}</p>
      <SelectField
        label={t.since}
        value={chosen}
        options={[...LENGTHS.map((hours) => [String(hours), t.sinceHours(hours)] as const), [AT, t.sinceAt]]}
        onChange={(event) => setChosen(event.target.value)}
      />
      {chosen === AT && (
        <Field
          label={t.sinceDate}
          type="datetime-local"
          error={errors.of('since')}
          value={date}
          onChange={(event) => setDate(event.target.value)}
        />
      )}
      <Check
        label={t.undeliveredOnly}
        hint={t.undeliveredOnlyHint}
        checked={isUndelivered}
        onChange={setIsUndelivered}
      />
    </FormDialog>
  )
}
