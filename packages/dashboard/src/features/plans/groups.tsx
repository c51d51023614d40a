/** A plan's fields in groups. Rarely used fields are under Advanced. */
import { type ReactNode, useState } from 'react'
import { Controller, useFormContext } from 'react-hook-form'
import { Check } from '../../components/fields/choice-group.tsx'
import { DurationField } from '../../components/fields/duration-field.tsx'
import { FeaturesField } from '../../components/fields/features-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { text } from '../../messages/text.ts'
import { ChatRoleField } from './chat-role-field.tsx'
import { type Draft, draftOf } from './draft.ts'
import styles from './plans.module.css'
import { QuotaField } from './quota-field.tsx'
import { ScriptsField } from './scripts-field.tsx'

const t = text.plans
type ErrorOf = { readonly errorOf: (field: string) => string | undefined }

const ADVANCED = ['grace', 'after_expiry', 'match', 'max_executions', 'quota'] as const

export function PlanGroups({ errorOf }: ErrorOf) {
  return (
    <>
      <Group title={t.groups.duration}>
        <ClockFields errorOf={errorOf} />
      </Group>
      <Group title={t.groups.runs}>
        <DeviceFields errorOf={errorOf} />
      </Group>
      <Group title={t.groups.content}>
        <ScriptsField error={errorOf('scripts')} />
        <Features errorOf={errorOf} />
      </Group>
      <Group title={t.groups.selling}>
        <Resellable />
        <ChatRoleField error={errorOf('chat_role_id')} />
      </Group>
      <Advanced errorOf={errorOf} />
    </>
  )
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={styles.group}>
      <h3>{title}</h3>
      {children}
    </div>
  )
}

function ClockFields({ errorOf }: ErrorOf) {
  const { register, watch } = useFormContext<Draft>()
  const isEnding = watch('ends') === 'after'
  return (
    <div className="row top">
      <SelectField
        label={t.validity}
        options={[
          ['after', t.forTime],
          ['never', t.forever],
        ]}
        {...register('ends')}
      />
      {isEnding && (
        <>
          <DurationField
            label={t.duration}
            hint={t.durationHint}
            error={errorOf('clock')}
            amount={register('amount')}
            unit={register('unit')}
          />
          <SelectField
            label={t.basis}
            options={(['first_use', 'creation'] as const).map((each) => [each, t.bases[each]])}
            {...register('basis')}
          />
        </>
      )}
    </div>
  )
}

function DeviceFields({ errorOf }: ErrorOf) {
  const { register, watch } = useFormContext<Draft>()
  const words = text.devices
  const count = { inputMode: 'numeric' } as const
  return (
    <div className="row top">
      <Field
        label={words.maxDevices}
        hint={words.maxOfPlan}
        error={errorOf('max_devices')}
        {...count}
        {...register('max_devices')}
      />
      <Field
        label={t.maxInstances}
        hint={t.noLimit}
        error={errorOf('max_instances')}
        {...count}
        {...register('max_instances')}
      />
      <Field
        label={words.maxResets}
        hint={words.maxResetsHint}
        error={errorOf('resets')}
        {...count}
        {...register('resets')}
      />
      {watch('resets').trim() !== '' && (
        <Field
          label={words.maxResetsPeriod}
          hint={words.maxResetsPeriodHint}
          inputMode="decimal"
          error={errorOf('resetsDays')}
          {...register('resetsDays')}
        />
      )}
    </div>
  )
}

function Features({ errorOf }: ErrorOf) {
  const { watch, setValue } = useFormContext<Draft>()
  return (
    <FeaturesField
      legend={t.features}
      hint={t.featuresHint}
      kinds={['yes', 'number', 'text']}
      rows={watch('features')}
      errorOf={errorOf}
      onChange={(rows) => setValue('features', rows)}
    />
  )
}

function Resellable() {
  const { control } = useFormContext<Draft>()
  return (
    <Controller
      control={control}
      name="resellable"
      render={({ field: { value, onChange } }) => (
        <Check label={t.resellable} hint={t.resellableHint} checked={value} onChange={onChange} />
      )}
    />
  )
}

/** The section is open initially if the plan uses any of its fields. */
function Advanced({ errorOf }: ErrorOf) {
  const { getValues, register, watch } = useFormContext<Draft>()
  const [isUsed] = useState(() => ADVANCED.some((name) => getValues(name) !== draftOf()[name]))
  const isWrong = ADVANCED.some((name) => errorOf(name) !== undefined)
  return (
    <details className={styles.advanced} {...((isUsed || isWrong) && { open: true })}>
      <summary>
        {t.groups.advanced} <span className="hint">{t.groups.advancedHint}</span>
      </summary>
      <div className="stack">
        <div className="row top">
          <QuotaField error={errorOf('quota')} amount={register('quota')} period={register('period')} />
          <Field
            label={t.maxExecutions}
            hint={t.noLimit}
            inputMode="numeric"
            error={errorOf('max_executions')}
            {...register('max_executions')}
          />
          <SelectField
            label={text.devices.match}
            hint={text.devices.matchHint}
            options={Object.entries(text.devices.rules)}
            {...register('match')}
          />
        </div>
        {watch('ends') === 'after' && <AfterEnd errorOf={errorOf} />}
      </div>
    </details>
  )
}

function AfterEnd({ errorOf }: ErrorOf) {
  const { register } = useFormContext<Draft>()
  return (
    <div className="row top">
      <DurationField
        label={t.grace}
        hint={t.graceHint}
        error={errorOf('grace')}
        amount={register('grace')}
        unit={register('graceUnit')}
      />
      <SelectField
        label={t.afterExpiry}
        hint={t.afterExpiryHint}
        options={(['deny', 'keep_version'] as const).map((each) => [each, t.afterExpiries[each]])}
        {...register('after_expiry')}
      />
    </div>
  )
}
