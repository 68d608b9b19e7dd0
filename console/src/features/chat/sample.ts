/** A made-up document to try the platform with: small, and with answers that nobody could guess. */

export const SAMPLE_TITLE = 'Sample: handbook of the Lighthouse Café';

export const SAMPLE_TEXT = `# Handbook of the Lighthouse Café

A made-up handbook, loaded to try out questions and citations. Delete it under Knowledge whenever you like.

## Opening hours

The café is open from Tuesday to Sunday, from 8:30 in the morning. The kitchen closes at 20:00, on Sundays already at 16:30.
On Mondays the café stays closed; deliveries are taken at the back door until noon.

## Refunds

Anybody on shift may refund a guest up to 25 euros without asking. The shift lead, Yasemin Kaya, decides on larger
refunds and writes them into the red book with the time, the amount and the reason.

## Cold chain

The cold room is read at 9:00 and at 17:00. When it is warmer than 7 °C, the food is moved to the cold room of the bakery next
door within thirty minutes, and the technician of Nordlys Cooling is called.

## Allergens

Every dish has a card with its allergens behind the counter. The almond cake is baked on Fridays only, on trays that are used for
nothing else.
`;

export const SAMPLE_QUESTIONS: readonly string[] = [
  'When does the kitchen close on Sundays?',
  'Who decides on larger refunds?',
  'What must be done when the cold room is warmer than 7 °C?',
];
