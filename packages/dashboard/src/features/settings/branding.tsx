/** Branding settings with a live preview. */
import { v1BrandingGet } from '@scriptward/sdk'
import { useQuery } from '@tanstack/react-query'
import { FormProvider } from 'react-hook-form'
import { ErrorMessage } from '../../components/error-message.tsx'
import { ColorField } from '../../components/fields/color-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { text } from '../../messages/text.ts'
import { useCall } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import type { Branding } from './branding-draft.ts'
import { LinksField } from './links-field.tsx'
import { LogoField } from './logo-field.tsx'
import { Preview } from './preview.tsx'
import { ScriptsField } from './scripts-field.tsx'
import styles from './settings.module.css'
import { useBrandingForm } from './use-branding-form.ts'
import { usePreview } from './use-preview.ts'

export function BrandingPanel() {
  const call = useCall()
  const { id } = useProject()
  const query = useQuery({
    queryKey: ['branding', id],
    queryFn: async () => (await v1BrandingGet({ ...call, path: { project_id: id } })).data.branding,
  })
  return (
    <Panel title={text.settings.brandTitle} hint={text.settings.brandHint}>
      <QueryBoundary query={query}>{query.data && <BrandingForm saved={query.data} />}</QueryBoundary>
    </Panel>
  )
}

function BrandingForm({ saved }: { saved: Branding }) {
  const { name } = useProject()
  const { form, changes, isDirty, save, submit, errors } = useBrandingForm(saved)
  const preview = usePreview(changes)
  return (
    <FormProvider {...form}>
      <Form kept={form.kept} hasDiscard className={styles.branding} onSubmit={submit} noValidate>
        <div className="stack">
          <Field
            label={text.settings.brandName}
            hint={text.settings.brandNameHint(name)}
            error={errors.of('name')}
            autoComplete="off"
            {...form.register('name')}
          />
          <ColorField
            label={text.settings.accent}
            hint={text.settings.accentHint}
            error={errors.of('accent')}
            value={form.watch('accent')}
            onChange={(accent) => form.setValue('accent', accent, { shouldDirty: true })}
          />
          <LogoField saved={saved.logo} error={errors.of('logo') ?? preview.errorOf('logo')} />
          <LinksField errorOf={errors.of} />
          <ScriptsField error={errors.of('scripts')} />
          <ErrorMessage of={errors.rest} />
          <div className="bar">
            <GuardedButton
              needs="projects:write"
              type="submit"
              className="main"
              disabled={!isDirty || save.isPending}
            >
              {text.settings.saveBrand}
            </GuardedButton>
            {isDirty && (
              <button type="button" onClick={() => form.kept.discard()}>
                {text.settings.discard}
              </button>
            )}
          </div>
        </div>
        <Preview {...preview} />
      </Form>
    </FormProvider>
  )
}
