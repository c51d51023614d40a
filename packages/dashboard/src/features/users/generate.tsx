/** Generates many keys, and then shows the list for copying or saving. */
import { v1ProjectUsersGenerate } from '@scriptward/sdk'
import { useMutation } from '@tanstack/react-query'
import { CopyButton } from '../../components/code/copy-button.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import type { KeptInput } from '../../components/fields/kept-input.ts'
import { OwnKeyFormat } from '../../components/fields/key-format-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { Dialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { tidyFormat } from '../../lib/key-formats.ts'
import { useRefusal } from '../../lib/rights.ts'
import { saveText } from '../../lib/save-text.ts'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { type Expiry, NEVER, timeOf } from './edit/expiry.ts'
import { ExpiryField, PLANNED } from './edit/expiry-field.tsx'
import { useFirstTry } from './edit/first-try.ts'
import { tagsError, tagsIn } from './edit/labels.ts'
import { PlanField } from './edit/plan-field.tsx'
import { useShownUsers } from './queries.ts'

export function GenerateDialog({ onClose }: { onClose: () => void }) {
  const t = text.users
  const kept = useKept('generate-keys')
  const { create, ...draft } = useDraft(kept)
  const mayShape = useRefusal('users:write') === undefined
  const errors = useFormErrors(create.error, { too_many_keys_to_generate: 'amount' })
  const submit = () => {
    const isCount = /^\s*[1-9]\d{0,8}\s*$/.test(draft.amount)
    const amount = isCount ? undefined : t.noAmount
    const keys_expire = timeOf(draft.expiry) === undefined ? t.noTime : undefined
    if (errors.check({ amount, keys_expire, tags: tagsError(draft.tags) })) create.mutate()
  }
  if (create.data) return <Generated keys={create.data} onClose={onClose} />
  return (
    <FormDialog
      kept={kept}
      title={t.generateTitle}
      submit={t.generate}
      isPending={create.isPending}
      error={errors.rest}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t.amountOfKeys}
        inputMode="numeric"
        value={draft.amount}
        error={errors.of('amount')}
        onChange={(event) => draft.setAmount(event.target.value)}
      />
      <Labels draft={draft} errorOf={errors.of} />
      <PlanField
        value={draft.plan}
        error={errors.of('plan_id')}
        onChange={(event) => draft.setPlan(event.target.value)}
      />
      {mayShape && (
        <>
          <ExpiryField
            label={t.expiry}
            {...(draft.plan !== '' && PLANNED)}
            value={draft.expiry}
            error={errors.of('keys_expire')}
            onChange={draft.setExpiry}
          />
          <OwnKeyFormat
            typed={draft.format}
            error={errors.of('format')}
            onChange={(event) => draft.setFormat(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  )
}

type Labeled = Pick<ReturnType<typeof useDraft>, 'note' | 'setNote' | 'tags' | 'setTags'>
type LabelsProps = { readonly draft: Labeled; readonly errorOf: (field: string) => string | undefined }

/** The form has a tags field, so that the generated keys can be found again. */
function Labels({ draft, errorOf }: LabelsProps) {
  const t = text.users
  const mayTag = useRefusal('users:write') === undefined
  return (
    <>
      <Field
        label={t.note}
        hint={t.generateNoteHint}
        dir="auto"
        value={draft.note}
        error={errorOf('note')}
        onChange={(event) => draft.setNote(event.target.value)}
      />
      {mayTag && (
        <Field
          label={text.labels.tags}
          hint={text.labels.tagsHint}
          dir="auto"
          value={draft.tags}
          error={errorOf('tags')}
          onChange={(event) => draft.setTags(event.target.value)}
        />
      )}
    </>
  )
}

function useDraft(kept: KeptInput) {
  const call = useCall()
  const { id } = useProject()
  const shown = useShownUsers()
  const [amount, setAmount] = useKeptState(kept, 'amount', '10')
  const [note, setNote] = useKeptState(kept, 'note', '')
  const [tags, setTags] = useKeptState(kept, 'tags', '')
  const [plan, setPlan] = useKeptState(kept, 'plan', '')
  const [format, setFormat] = useKeptState(kept, 'format', '')
  const [expiry, setExpiry] = useKeptState<Expiry>(kept, 'expiry', NEVER)
  const firstTry = useFirstTry()
  const create = useMutation({
    mutationFn: async () => {
      const keys_expire = timeOf(expiry, firstTry([amount, note, tags, plan, format, expiry])) ?? 0
      const given = note.trim() === '' ? {} : { note: note.trim() }
      const body = {
        amount: Number(amount),
        ...given,
        ...(tags.trim() !== '' && { tags: tagsIn(tags) }),
        ...(plan !== '' && { plan_id: plan }),
        ...(keys_expire !== 0 && { keys_expire }),
        ...(format.trim() !== '' && { format: tidyFormat(format) }),
      }
      const { user_keys } = (await v1ProjectUsersGenerate({ ...call, path: { project_id: id }, body })).data
      kept.forget()
      return user_keys
    },
    onSuccess: () => void shown.again(),
  })
  const labels = { note, setNote, tags, setTags }
  return { amount, setAmount, ...labels, plan, setPlan, format, setFormat, expiry, setExpiry, create }
}

const SHOWN_KEYS = 500

function Generated({ keys, onClose }: { keys: readonly string[]; onClose: () => void }) {
  const t = text.users
  const all = keys.join('\n')
  return (
    <Dialog title={t.generated(keys.length)} onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable with the keyboard. */}
      <pre className="printed" tabIndex={0}>
        {keys.slice(0, SHOWN_KEYS).join('\n')}
      </pre>
      {keys.length > SHOWN_KEYS && <p className="hint">{t.andMore(keys.length - SHOWN_KEYS)}</p>}
      <div className="bar end">
        <CopyButton value={all} label={t.copyAll} />
        <button type="button" onClick={() => saveText('keys.txt', `${all}\n`)}>
          {t.download}
        </button>
        <button type="button" className="main" onClick={onClose}>
          {t.finished}
        </button>
      </div>
    </Dialog>
  )
}
