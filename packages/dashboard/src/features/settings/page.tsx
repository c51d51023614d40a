import { PageTitle } from '../../components/page-title.tsx'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { BrandingPanel } from './branding.tsx'
import { DangerPanel } from './danger.tsx'
import { FlagsForm } from './flags.tsx'
import { Section, SectionList } from './sections.tsx'
import styles from './settings.module.css'

export function SettingsPage() {
  const { name } = useProject()
  return (
    <>
      <PageTitle title={text.frame.settings} intro={text.settings.intro(name)} />
      <div className={styles.page}>
        <SectionList />
        <div className="stack">
          <FlagsForm />
          <Section id="branding">
            <BrandingPanel />
          </Section>
          <Section id="danger">
            <DangerPanel />
          </Section>
        </div>
      </div>
    </>
  )
}
