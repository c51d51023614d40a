/**
 * Adds or edits a step: the network, the author's account there, the link, and what visitors see. All fields
 * are validated together on submit.
 */
import { v1AdCheckpointsCreate, v1AdCheckpointsEdit } from '@scriptward/sdk'
import { useState } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKeptForm } from '../../components/fields/use-kept.ts'
import { Dialog, FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { adsText as t } from '../../messages/en/ads.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { type LinkMaking, LinkSection, useCreateLink } from './link-section.tsx'
import { NetworkChoice } from './network-choice.tsx'
import { type Draft, draftOf, membersIn, missingSettings, validate } from './provider-draft.ts'
import { ProviderSettings } from './provider-settings.tsx'
import {
  type Checkpoint,
  type Networks,
  PROVIDER_IDS,
  type Providers,
  type Setting,
  useNetworks,
  useProviders,
} from './queries.ts'

type Props = {
  readonly systemId: string
  readonly others: readonly Checkpoint[]
  readonly checkpoint?: Checkpoint
  readonly onClose: () => void
  readonly onAdded?: () => void
}

/** The form is shown once its settings have loaded, because its initial values depend on them. */
export function CheckpointForm(given: Props) {
  const { checkpoint, onClose } = given
  const providers = useProviders()
  const networks = useNetworks()
  const title = checkpoint ? t.editStep(checkpoint.name) : t.newStep
  if (providers.data && networks.data)
    return <StepForm {...given} title={title} providers={providers.data} networks={networks.data} />
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <QueryBoundary query={providers}>{null}</QueryBoundary>
    </Dialog>
  )
}

type StepProps = Props & {
  readonly title: string
  readonly providers: Providers
  readonly networks: Networks
}

function StepForm({ title, providers, networks, ...given }: StepProps) {
  const { checkpoint, onClose } = given
  const [first] = useState(checkpoint)
  const form = useKeptForm<Draft>('ad-step', {
    of: checkpoint?.id ?? given.systemId,
    defaultValues: draftOf(first, providers),
    unkept: ['secrets'],
  })
  const save = useSave({ ...given, onClose: () => form.kept.forget(onClose) })
  const link = useCreateLink(given.systemId, form)
  const errors = useFormErrors(save.error)
  const provider = form.watch('provider')
  const isChosen = PROVIDER_IDS.includes(provider)
  const settings = isChosen ? providers[provider] : []
  const submit = () => {
    const draft = form.getValues()
    if (errors.check(validate(draft, settings))) save.mutate(membersIn(draft, settings))
  }
  const onCreate = () => {
    if (errors.check(missingSettings(form.getValues(), settings))) link.mutate(settings)
  }
  const isChanged =
    checkpoint &&
    !save.isPending &&
    JSON.stringify(draftOf(checkpoint, providers)) !== JSON.stringify(draftOf(first, providers))
  return (
    <FormDialog
      kept={form.kept}
      title={title}
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
      <NetworkChoice networks={networks} error={errors.of('provider')} field={form.register('provider')} />
      {isChosen && (
        <Fields
          {...given}
          {...{ form, settings, link, onCreate }}
          errorOf={errors.of}
          network={networks[provider]}
        />
      )}
    </FormDialog>
  )
}

type FieldsProps = Props & {
  readonly form: UseFormReturn<Draft>
  readonly settings: readonly Setting[]
  readonly link: LinkMaking
  readonly network: { readonly name: string; readonly creates_links: boolean }
  readonly onCreate: () => void
  readonly errorOf: (field: string) => string | undefined
}

function Fields(given: FieldsProps) {
  const { systemId, checkpoint, form, settings, network, link, onCreate, errorOf } = given
  const provider = form.watch('provider')
  const { name } = network
  return (
    <>
      <section className="stack tight">
        <h3>{t.accountAt(name)}</h3>
        <ProviderSettings
          key={provider}
          isStored={checkpoint?.provider === provider}
          {...{ provider, settings, form, errorOf }}
        />
      </section>
      <LinkSection
        network={name}
        making={network.creates_links && !checkpoint ? { link, onCreate } : undefined}
        {...{ systemId, checkpoint, form, errorOf }}
      />
      <Presentation {...given} />
    </>
  )
}

function Presentation({ others, checkpoint, form: { register }, errorOf }: FieldsProps) {
  const fallbacks = others.filter(({ id }) => id !== checkpoint?.id)
  return (
    <section className="stack tight">
      <h3>{t.here}</h3>
      <Field
        label={t.stepName}
        hint={t.stepNameHint}
        error={errorOf('name')}
        autoComplete="off"
        {...register('name')}
      />
      <Field
        label={t.thousand}
        hint={t.thousandHint}
        error={errorOf('value_per_thousand')}
        inputMode="decimal"
        autoComplete="off"
        {...register('thousand')}
      />
      {fallbacks.length > 0 && (
        <SelectField
          label={t.fallback}
          error={errorOf('fallback_checkpoint_id')}
          options={[['', t.noFallback], ...fallbacks.map(({ id, name }) => [id, name] as const)]}
          {...register('fallback')}
        />
      )}
    </section>
  )
}

function useSave({ systemId, checkpoint, onClose, onAdded }: Props) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async (body: ReturnType<typeof membersIn>) => {
    if (checkpoint) {
      await v1AdCheckpointsEdit({ ...call, path: { checkpoint_id: checkpoint.id }, body })
      showToast({ title: t.saved })
    } else {
      await v1AdCheckpointsCreate({ ...call, path: { system_id: systemId }, body })
      showToast({ title: t.stepAdded })
      onAdded?.()
    }
    onClose()
  })
}
