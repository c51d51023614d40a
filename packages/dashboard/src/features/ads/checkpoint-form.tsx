/**
 * Adds or edits a step: the URLs to paste at the provider, the link from the provider, and the step's
 * settings.
 */
import { v1AdCheckpointsCreate, v1AdCheckpointsEdit } from '@scriptward/sdk'
import { useState } from 'react'
import { type UseFormReturn, useForm } from 'react-hook-form'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { when } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { ProviderAddresses } from './provider-addresses.tsx'
import { type Draft, draftOf, membersIn, validate } from './provider-draft.ts'
import { ProviderSettings } from './provider-settings.tsx'
import { type Checkpoint, labelOf, PROVIDER_IDS, usePrepared, useProviders } from './queries.ts'

const t = text.ads

type Props = {
  readonly systemId: string
  readonly others: readonly Checkpoint[]
  readonly checkpoint?: Checkpoint
  readonly onClose: () => void
}

export function CheckpointForm(given: Props) {
  const { checkpoint, onClose } = given
  const providers = useProviders()
  const [first] = useState(checkpoint)
  const form = useForm<Draft>({ defaultValues: draftOf(first) })
  const save = useSave(given)
  const errors = useFormErrors(save.error)
  const submit = () => {
    const draft = form.getValues()
    const settings = providers.data?.[draft.provider] ?? []
    if (errors.check(validate(draft, settings))) save.mutate(membersIn(draft, settings))
  }
  const isChanged =
    checkpoint &&
    !save.isPending &&
    JSON.stringify(membersOf(checkpoint)) !== JSON.stringify(membersOf(first))
  return (
    <FormDialog
      title={checkpoint ? t.editStep(checkpoint.name) : t.newStep}
      isWide
      submit={checkpoint ? t.save : t.addCheckpoint}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {isChanged && (
        <p className="notice warn" role="status">
          {t.changedMeanwhile}
        </p>
      )}
      <QueryBoundary query={providers}>
        <Fields {...given} form={form} errorOf={errors.of} />
      </QueryBoundary>
    </FormDialog>
  )
}

type FieldsProps = Props & {
  readonly form: UseFormReturn<Draft>
  readonly errorOf: (field: string) => string | undefined
}

function Fields({ systemId, others, checkpoint, form, errorOf }: FieldsProps) {
  const providers = useProviders()
  const { register, watch } = form
  const provider = watch('provider')
  const fallbacks = others.filter(({ id }) => id !== checkpoint?.id)
  return (
    <>
      <SelectField
        label={t.provider}
        options={PROVIDER_IDS.map((id) => [id, labelOf(providers.data, id)] as const)}
        error={errorOf('provider')}
        {...register('provider')}
      />
      <section className="stack tight">
        <h3>{t.atProvider}</h3>
        {checkpoint ? (
          <>
            <ProviderAddresses provider={provider} addresses={checkpoint} />
            {provider !== checkpoint.provider && <p className="notice warn">{t.newPostback}</p>}
          </>
        ) : (
          <Prepared systemId={systemId} provider={provider} />
        )}
      </section>
      <h3>{t.here}</h3>
      <Field label={t.stepName} hint={t.stepNameHint} error={errorOf('name')} {...register('name')} />
      <Field
        label={t.link}
        hint={t.linkHint}
        error={errorOf('url')}
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        {...register('url')}
      />
      <ProviderSettings
        key={provider}
        provider={provider}
        settings={providers.data?.[provider] ?? []}
        form={form}
        errorOf={errorOf}
        isStored={checkpoint?.provider === provider}
      />
      {fallbacks.length > 0 && (
        <SelectField
          label={t.fallback}
          error={errorOf('fallback_checkpoint_id')}
          options={[['', t.noFallback], ...fallbacks.map(({ id, name }) => [id, name] as const)]}
          {...register('fallback')}
        />
      )}
    </>
  )
}

function Prepared({ systemId, provider }: { systemId: string; provider: Draft['provider'] }) {
  const prepared = usePrepared(systemId)
  return (
    <QueryBoundary query={prepared}>
      {prepared.data && (
        <>
          <ProviderAddresses provider={provider} addresses={prepared.data} />
          <p className="hint">{t.expires(when(prepared.data.expires_at))}</p>
        </>
      )}
    </QueryBoundary>
  )
}

function membersOf(checkpoint: Checkpoint | undefined) {
  return checkpoint && draftOf(checkpoint)
}

function useSave({ systemId, checkpoint, onClose }: Props) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async (body: ReturnType<typeof membersIn>) => {
    if (checkpoint) {
      await v1AdCheckpointsEdit({ ...call, path: { checkpoint_id: checkpoint.id }, body })
      showToast({ title: t.saved })
    } else {
      await v1AdCheckpointsCreate({ ...call, path: { system_id: systemId }, body })
      showToast({ title: t.stepAdded })
    }
    onClose()
  })
}
