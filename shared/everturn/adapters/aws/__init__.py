"""The ports on Amazon S3, SQS, STS and Bedrock."""
