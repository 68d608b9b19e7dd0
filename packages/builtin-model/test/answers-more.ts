import type { GroundingPassage } from '../src/port.ts';

/** A second set of self-written passages and questions: other subjects than `answers.ts`, judged by share. */
const TEXTS: [title: string, text: string][] = [
  [
    'Employee handbook',
    'Working hours\n\nThe regular working week has 37.5 hours. Core time is from 10:00 to 15:00. Overtime must be approved in advance by the team lead and is compensated with time off.\n\nNew employees receive a laptop and a badge on their first day from the IT service desk on the second floor.',
  ],
  [
    'Employee handbook',
    'Leave\n\nEmployees are entitled to 28 days of paid vacation per calendar year. Up to five unused days may be carried over to the next year and must be taken by 31 March. Sick leave has to be reported to the team lead before 9:00 on the first day. A medical certificate is required from the third day of illness.\n\nParents may take up to 14 months of parental leave.',
  ],
  [
    'Pump P-40 data sheet',
    '| Property | Value |\n|---|---|\n| Maximum flow | 40 l/min |\n| Operating pressure | 6 bar |\n| Weight | 12.4 kg |\n| Power supply | 230 V, 50 Hz |\n| Noise level | 58 dB |',
  ],
  [
    'Pump P-40 data sheet',
    'Installation\n\nMount the pump horizontally on a level surface. Connect the suction hose before switching on the power. Never run the pump dry, as this destroys the shaft seal within minutes. The filter should be cleaned once a month.',
  ],
  [
    'History of Velden',
    'Velden received its town charter in 1287 from Count Albrecht. A fire destroyed most of the wooden houses in 1653. The railway reached the town in 1868 and brought the textile industry, which employed more than 4,000 people by 1910.\n\nThe painter Clara Voss was born in Velden in 1831. Her best known work, The Ferryman, hangs in the town hall.',
  ],
  [
    'Contract 2023-17',
    "§ 4 Payment\n\nThe client pays a monthly fee of EUR 7,500 plus VAT. Invoices are due within 21 days. Late payments bear interest at 5 percent per year.\n\n§ 9 Termination\n\nEither party may terminate the contract with three months' notice to the end of a quarter. Notice must be given in writing. The contract ends automatically on 31 December 2026 unless it is renewed.",
  ],
  [
    'FAQ',
    'How do I reset my password?\n\nOpen the login page and click "Forgot password". You will receive an e-mail with a link that is valid for one hour.\n\nWhich browsers are supported?\n\nThe current versions of Firefox, Chrome, Edge and Safari are supported.\n\nCan I export my data?\n\nYes. Go to Settings, then Privacy, and choose "Download archive". The archive is a ZIP file and is ready within 24 hours.',
  ],
  [
    'Clinic leaflet',
    'Take two tablets each morning with a glass of water. Do not take the medicine together with milk, because calcium reduces its effect. Common side effects are headache and nausea. Store the tablets below 25 degrees and out of reach of children. If you forget a dose, skip it and continue the next day.',
  ],
  [
    'Energy report',
    'In 2022 the plant produced 412 gigawatt hours of electricity, 8 percent more than in the year before. Wind power contributed 61 percent, solar 27 percent and biogas 12 percent. The chief executive, Ingrid Solheim, announced that a second wind farm will open near Tarnby in 2025. Emissions fell to 18,000 tonnes.',
  ],
];

export const MORE_PASSAGES: GroundingPassage[] = TEXTS.map(([title, text], i) => ({
  n: i + 1,
  title,
  page: null,
  text,
  score: 0.5,
}));

export const MORE_ANSWERABLE: [question: string, fact: string, n: number][] = [
  ['How many hours is the regular working week?', '37.5', 1],
  ['When is core time?', '10:00 to 15:00', 1],
  ['Who approves overtime?', 'team lead', 1],
  ['Where do new employees get their laptop?', 'IT service desk', 1],
  ['How many vacation days do employees have?', '28 days', 2],
  ['How many unused days can be carried over?', 'five', 2],
  ['By when must carried over days be taken?', '31 March', 2],
  ['When do I need a medical certificate?', 'third day', 2],
  ['How long can parental leave be?', '14 months', 2],
  ['What is the weight of the pump?', '12.4 kg', 3],
  ['What is the maximum flow?', '40 l/min', 3],
  ['How loud is the pump?', '58 dB', 3],
  ['How should the pump be mounted?', 'horizontally', 4],
  ['Why should the pump never run dry?', 'shaft seal', 4],
  ['How often should the filter be cleaned?', 'once a month', 4],
  ['When did Velden receive its town charter?', '1287', 5],
  ['Who gave Velden its charter?', 'Albrecht', 5],
  ['When did the railway reach Velden?', '1868', 5],
  ['Where was Clara Voss born?', 'Velden', 5],
  ['Where does The Ferryman hang?', 'town hall', 5],
  ['How many people did the textile industry employ?', '4,000', 5],
  ['What is the monthly fee?', '7,500', 6],
  ['When are invoices due?', '21 days', 6],
  ['What is the notice period?', 'three months', 6],
  ['When does the contract end?', '31 December 2026', 6],
  ['How do I reset my password?', 'Forgot password', 7],
  ['Which browsers are supported?', 'Firefox', 7],
  ['How can I export my data?', 'Download archive', 7],
  ['How long is the password link valid?', 'one hour', 7],
  ['How many tablets should I take?', 'two tablets', 8],
  ['Why should I not take the medicine with milk?', 'calcium', 8],
  ['What are the side effects?', 'headache', 8],
  ['What should I do if I forget a dose?', 'skip it', 8],
  ['How much electricity did the plant produce in 2022?', '412', 9],
  ['What share did solar contribute?', '27 percent', 9],
  ['Who is the chief executive?', 'Ingrid Solheim', 9],
  ['When will the second wind farm open?', '2025', 9],
  ['What interest is charged on late payments?', '5 percent', 6],
];

export const MORE_UNANSWERABLE: string[] = [
  'What is the dress code?',
  'Who founded the town of Velden?',
  'What colour is the pump?',
  'How many employees does the company have?',
  'When was Ingrid Solheim born?',
  'What is the price of the pump?',
  'Who is the team lead?',
  'How much VAT is charged?',
  'Is the office open on Sundays?',
  'What is the phone number of the clinic?',
  'Who wrote The Ferryman?',
  'How tall is the town hall?',
  'How many nuclear plants are there?',
  'Which languages does the app support?',
  'What is the meaning of life?',
  'Where is the parking lot?',
];
