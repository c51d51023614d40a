import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { BrandingPanel } from './branding.tsx'
import { DangerPanel } from './danger.tsx'
import { FlagsForm } from './flags.tsx'

export function SettingsPage() {
  const { name } = useProject()
  return (
    <>
      <PageTitle title={text.frame.settings} intro={text.settings.intro(name)} />
      <FlagsForm />
      <BrandingPanel />
      <DangerPanel />
    </>
  )
}
