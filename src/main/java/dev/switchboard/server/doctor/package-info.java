/**
 * The switch doctor: what an expert does with {@code vmstat 1} and {@code pidstat -wt}, done by the program. Reading
 * ({@link dev.switchboard.server.doctor.ProcText}, {@code ProcFile}), sampling ({@code ProcessSampler}), reconciling
 * ({@link dev.switchboard.server.doctor.Reconciliation}), judging ({@link dev.switchboard.server.doctor.Classifier}) and
 * wording ({@code TextReport}, {@code JsonReport}) are apart, and all but the first two are functions of their arguments.
 */
package dev.switchboard.server.doctor;
