/** A user's fields, in sections: the customer, the key's access, and the key's limits. */
import type { ReactNode } from 'react'
import { Controller, type UseFormReturn } from 'react-hook-form'
import { AreaField } from '../../../components/fields/area-field.tsx'
import { Check } from '../../../components/fields/choice-group.tsx'
import { FeaturesField } from '../../../components/fields/features-field.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { recordText } from '../../../messages/en/user-record.ts'
import { text } from '../../../messages/text.ts'
import { usePlans } from '../../../queries/plans.ts'
import type { User } from '../user.ts'
import { DurationField } from './duration-field.tsx'
import styles from './edit.module.css'
import type { Draft, Member } from './edits.ts'
import { ExpiryField } from './expiry-field.tsx'
import { PlanField } from './plan-field.tsx'

type Editing = {
  readonly form: UseFormReturn<Draft>
  readonly errorOf: (name: string) => string | undefined
}
type Props = Editing & { readonly user: User }
type TextMember = Member & keyof { [N in Member as Draft[N] extends string ? N : never]: 1 }
type TimeMember = 'starts_at' | 'blacklist_expires'

/** The device limit of keys without a plan. */
const DEVICES = 1
/** Fields under "Advanced". The section opens automatically if one of them has an error. */
const ADVANCED = ['own_features', 'match', 'issued_to', 'issued_by', 'metadata']

function fieldOf({ form, errorOf }: Editing) {
  return (name: TextMember) => ({
    label: text.users.members[name],
    error: errorOf(name),
    ...form.register(name),
  })
}

export function Fields(props: Props) {
  const t = recordText.form
  const { user, ...editing } = props
  const field = fieldOf(editing)
  return (
    <>
      <Section title={t.customer} hint={t.customerHint}>
        <div className="row top">
          <Field dir="auto" hint={text.users.noteHint} {...field('note')} />
          <Field dir="auto" {...field('chat_id')} />
        </div>
        <Area {...editing} name="private_note" hint={text.users.privateNoteHint} />
        <Field dir="auto" hint={text.labels.tagsHint} {...field('tags')} />
      </Section>
      <Section title={t.access} hint={t.accessHint}>
        <Access {...props} />
      </Section>
      <Section title={t.limits} hint={t.limitsHint}>
        <Limits {...editing} />
        <Advanced {...editing} />
      </Section>
      {user.blacklisted && (
        <Section title={t.block}>
          <Field dir="auto" {...field('blacklist_reason')} />
          <Moment {...editing} name="blacklist_expires" />
        </Section>
      )}
    </>
  )
}

type SectionProps = { readonly title: string; readonly hint?: string; readonly children: ReactNode }

function Section({ title, hint, children }: SectionProps) {
  return (
    <section className={styles.section}>
      <div>
        <h2>{title}</h2>
        {hint !== undefined && <p className="hint">{hint}</p>}
      </div>
      <div className="stack">{children}</div>
    </section>
  )
}

function Access({ form, user, errorOf }: Props) {
  const planId = form.watch('plan_id')
  return (
    <>
      <PlanField
        current={user.plan_id === null ? undefined : { id: user.plan_id, name: user.plan ?? '' }}
        error={errorOf('plan_id')}
        {...form.register('plan_id')}
      />
      <Controller
        control={form.control}
        name="duration"
        render={({ field: { value, onChange } }) => (
          <DurationField
            user={user}
            planId={planId}
            value={value}
            onChange={onChange}
            error={errorOf('duration') ?? errorOf('key_expires') ?? errorOf('clock')}
          >
            <Moment form={form} errorOf={errorOf} name="starts_at" none={text.users.fromNow} />
          </DurationField>
        )}
      />
    </>
  )
}

function Limits(editing: Editing) {
  const t = text.users
  const field = fieldOf(editing)
  const planId = editing.form.watch('plan_id')
  const plan = usePlans().data?.find(({ id }) => id === planId)
  const limit = (ofPlan: number | null | undefined) =>
    typeof ofPlan === 'number' ? recordText.form.fromPlan(ofPlan) : recordText.form.noLimit
  const devices = plan ? recordText.form.fromPlan(plan.max_devices) : String(DEVICES)
  return (
    <>
      <div className={styles.three}>
        <Field inputMode="numeric" placeholder={limit(plan?.max_instances)} {...field('max_instances')} />
        <Field inputMode="numeric" placeholder={devices} {...field('max_devices')} />
        <Field inputMode="numeric" placeholder={limit(plan?.max_executions)} {...field('max_executions')} />
      </div>
      <Controller
        control={editing.form.control}
        name="use_fingerprint"
        render={({ field: { value, onChange } }) => (
          <Check
            label={t.members.use_fingerprint}
            hint={t.useFingerprintHint}
            checked={value}
            onChange={onChange}
          />
        )}
      />
    </>
  )
}

function Advanced(editing: Editing) {
  const t = recordText.form
  const field = fieldOf(editing)
  const isWrong = ADVANCED.some((name) => editing.errorOf(name) !== undefined)
  return (
    <details className={styles.advanced} {...(isWrong && { open: true })}>
      <summary>
        {t.advanced} <span className="hint">{t.advancedHint}</span>
      </summary>
      <div className="stack">
        <SelectField
          label={text.users.members.match}
          hint={text.devices.matchHint}
          options={ruleOptions()}
          {...editing.form.register('match')}
        />
        <OwnFeatures {...editing} />
        <div className="row top">
          <Field dir="auto" {...field('issued_to')} />
          <Field dir="auto" {...field('issued_by')} />
        </div>
        <Area {...editing} name="metadata" hint={text.labels.metadataHint} />
      </div>
    </details>
  )
}

type AreaProps = Editing & { readonly name: 'metadata' | 'private_note'; readonly hint: string }

function Area({ form, errorOf, name, hint }: AreaProps) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <AreaField
          label={text.users.members[name]}
          hint={hint}
          error={errorOf(name)}
          value={value}
          onChange={onChange}
        />
      )}
    />
  )
}

function ruleOptions(): (readonly [string, string])[] {
  return [['plan', text.devices.ruleOfPlan], ...Object.entries(text.devices.rules)]
}

type MomentProps = Editing & { readonly name: TimeMember; readonly none?: string }

function Moment({ form, errorOf, name, none }: MomentProps) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <ExpiryField
          label={text.users.members[name]}
          none={none}
          value={value}
          onChange={onChange}
          error={errorOf(name)}
        />
      )}
    />
  )
}

function OwnFeatures({ form, errorOf }: Editing) {
  return (
    <Controller
      control={form.control}
      name="own_features"
      render={({ field: { value, onChange } }) => (
        <FeaturesField
          legend={text.plans.ownFeatures}
          hint={text.plans.ownFeaturesHint}
          kinds={['yes', 'number', 'text', 'none']}
          rows={value}
          errorOf={errorOf}
          onChange={onChange}
        />
      )}
    />
  )
}
