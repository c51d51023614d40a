/** Creates or edits a service tier. Saving always sends all fields. */
import { adminTiersPut } from '@scriptward/sdk'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKeptForm } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { operatorsText } from '../../messages/en/operators.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import type { Tier } from './queries.ts'

const LIMITS = [
  'max_projects',
  'max_scripts',
  'max_users',
  'obfuscations',
  'free_for_all',
  'max_systems',
  'max_checkpoints',
  'max_ad_users',
  'max_calls',
  'log_days',
] as const
type Limit = (typeof LIMITS)[number]
type Draft = { id: string; name: string; price: string } & Record<Limit, string>
type Props = { readonly tiers: readonly Tier[]; readonly tier?: Tier; readonly onClose: () => void }

const WHOLE = /^\d{1,9}$/
const AMOUNT = /^\d{1,9}([.,]\d{1,2})?$/

export function TierForm({ tiers, tier, onClose }: Props) {
  const { form, save, submit, errors } = useTierForm({ tiers, ...(tier && { tier }), onClose })
  const { register } = form
  return (
    <FormDialog
      kept={form.kept}
      title={tier ? operatorsText.editTier(tier.name) : operatorsText.newTier}
      submit={text.save}
      isWide
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <div className="row top">
        <Field label={text.name} autoComplete="off" error={errors.of('name')} {...register('name')} />
        <Field
          label={operatorsText.price}
          hint={operatorsText.priceHint}
          inputMode="decimal"
          autoComplete="off"
          error={errors.of('price')}
          {...register('price')}
        />
        {!tier && (
          <Field
            label={operatorsText.tierId}
            hint={operatorsText.tierIdHint}
            inputMode="numeric"
            autoComplete="off"
            error={errors.of('id')}
            {...register('id')}
          />
        )}
      </div>
      <p className="hint">{operatorsText.limitsHint}</p>
      <div className="row top">
        {LIMITS.map((each) => (
          <Field
            key={each}
            label={operatorsText.limits[each]}
            placeholder={operatorsText.unlimited}
            inputMode="numeric"
            autoComplete="off"
            error={errors.of(each)}
            {...register(each)}
          />
        ))}
      </div>
    </FormDialog>
  )
}

function useTierForm({ tiers, tier, onClose }: Props) {
  const call = useCall()
  const showToast = useToast()
  const of = tier && String(tier.id)
  const form = useKeptForm<Draft>('tier', { of, defaultValues: draftOf(tier, tiers) })
  const save = useChange(async (draft: Draft) => {
    const name = draft.name.trim()
    const body = { name, price: Number(draft.price.trim().replace(',', '.')), ...limitsIn(draft) }
    await adminTiersPut({ ...call, path: { id: tier?.id ?? Number(draft.id) }, body })
    form.kept.forget(onClose)
    showToast({ title: operatorsText.tierSaved(name) })
  })
  const errors = useFormErrors(save.error)
  const submit = form.handleSubmit((draft) => {
    if (errors.check(validate(draft, tier ? [] : tiers))) save.mutate(draft)
  })
  return { form, save, submit, errors }
}

function draftOf(tier: Tier | undefined, tiers: readonly Tier[]): Draft {
  const free = Math.max(-1, ...tiers.map(({ id }) => id)) + 1
  const limit = (name: Limit) => (tier === undefined || tier[name] < 0 ? '' : String(tier[name]))
  return {
    id: String(tier?.id ?? free),
    name: tier?.name ?? '',
    price: String(tier?.price ?? 0),
    ...(Object.fromEntries(LIMITS.map((name) => [name, limit(name)])) as Record<Limit, string>),
  }
}

function limitsIn(draft: Draft): Record<Limit, number> {
  const amountOf = (name: Limit) => (draft[name].trim() === '' ? -1 : Number(draft[name]))
  return Object.fromEntries(LIMITS.map((name) => [name, amountOf(name)])) as Record<Limit, number>
}

function validate(draft: Draft, others: readonly Tier[]): Record<string, string | undefined> {
  const whole = (value: string) => (WHOLE.test(value.trim()) ? undefined : operatorsText.numberWrong)
  const isTaken = others.some(({ id }) => id === Number(draft.id))
  return {
    name: draft.name.trim() === '' ? operatorsText.nameMissing : undefined,
    price: AMOUNT.test(draft.price.trim()) ? undefined : operatorsText.priceWrong,
    id: isTaken ? operatorsText.tierIdTaken : whole(draft.id),
    ...Object.fromEntries(
      LIMITS.map((name) => [name, draft[name].trim() === '' ? undefined : whole(draft[name])]),
    ),
  }
}
