import { Controller, type UseFormReturn } from 'react-hook-form'
import { AreaField } from '../../../components/fields/area-field.tsx'
import { Check } from '../../../components/fields/choice-group.tsx'
import { FeaturesField } from '../../../components/fields/features-field.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { text } from '../../../messages/text.ts'
import { type User, waitingText } from '../user.ts'
import { ClockField } from './clock-field.tsx'
import type { Draft, Member } from './edits.ts'
import { ExpiryField } from './expiry-field.tsx'
import { PlanField } from './plan-field.tsx'

type Editing = {
  readonly form: UseFormReturn<Draft>
  readonly errorOf: (name: string) => string | undefined
}
type Props = Editing & { readonly user: User }
type TextMember = Member & keyof { [N in Member as Draft[N] extends string ? N : never]: 1 }
type TimeMember = 'key_expires' | 'starts_at' | 'blacklist_expires'

export function Fields({ form, user, errorOf }: Props) {
  const t = text.users
  const editing = { form, errorOf }
  const field = (name: TextMember) => ({
    label: t.members[name],
    error: errorOf(name),
    ...form.register(name),
  })
  const limitHint = form.watch('plan_id') === '' ? t.noLimitHint : text.plans.asPlanHint
  return (
    <>
      <Field dir="auto" hint={t.noteHint} {...field('note')} />
      <Area {...editing} name="private_note" hint={t.privateNoteHint} />
      <Field {...field('chat_id')} />
      <PlanField
        current={user.plan_id === null ? undefined : { id: user.plan_id, name: user.plan ?? '' }}
        error={errorOf('plan_id')}
        {...form.register('plan_id')}
      />
      <Moment {...editing} name="key_expires" {...endHints(user)} />
      <ClockField form={form} user={user} error={errorOf('clock')} />
      <Moment {...editing} name="starts_at" none={t.fromNow} />
      <div className="row top">
        <Field inputMode="numeric" hint={limitHint} {...field('max_instances')} />
        <Field inputMode="numeric" hint={limitHint} {...field('max_executions')} />
      </div>
      <Controller
        control={form.control}
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
      <div className="row top">
        <Field inputMode="numeric" hint={text.devices.maxOfKey} {...field('max_devices')} />
        <SelectField
          label={t.members.match}
          hint={text.devices.matchHint}
          options={ruleOptions()}
          {...form.register('match')}
        />
      </div>
      <OwnFeatures {...editing} />
      <Labels {...editing} field={field} />
      {user.blacklisted && (
        <>
          <Field dir="auto" {...field('blacklist_reason')} />
          <Moment {...editing} name="blacklist_expires" />
        </>
      )}
    </>
  )
}

type FieldOf = (name: TextMember) => { readonly label: string; readonly error: string | undefined }

function Labels({ field, ...editing }: Editing & { readonly field: FieldOf }) {
  return (
    <>
      <Field dir="auto" hint={text.labels.tagsHint} {...field('tags')} />
      <div className="row top">
        <Field dir="auto" {...field('issued_to')} />
        <Field dir="auto" {...field('issued_by')} />
      </div>
      <Area {...editing} name="metadata" hint={text.labels.metadataHint} />
    </>
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

type Words = { readonly none?: string; readonly hint?: string }

/** Hints for keys with a clock, which applies until an expiry is set manually. */
function endHints({ clock, clock_extra, key_expires }: User): Words {
  if (clock === null) return {}
  const none = key_expires === null ? { none: text.plans.byClock(waitingText({ clock, clock_extra })) } : {}
  return { hint: text.plans.byHandHint, ...none }
}

function Moment({ form, errorOf, name, ...words }: Editing & Words & { readonly name: TimeMember }) {
  return (
    <Controller
      control={form.control}
      name={name}
      render={({ field: { value, onChange } }) => (
        <ExpiryField
          label={text.users.members[name]}
          {...words}
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
